"""Source mode: the rules on HCL, without a plan, credentials or provider."""

from policies.source.evaluate import SourceError, read_source

__all__ = ["SourceError", "read_source"]
