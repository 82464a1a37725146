"""The data sources."""

from __future__ import annotations

from collections.abc import Mapping

from local.provider.data_sources.context import CallerIdentity, Partition, Region
from local.provider.data_sources.policy_document import PolicyDocument
from local.provider.engine.resource import DataSource

_ALL: tuple[type[DataSource], ...] = (CallerIdentity, Partition, PolicyDocument, Region)

DATA_SOURCES: Mapping[str, DataSource] = {declared.type: declared() for declared in _ALL}
