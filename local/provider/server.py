"""The provider as a server that Terraform is reattached to."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import grpc
from tf.gen import grpc_controller_pb2 as controller_pb
from tf.gen import grpc_controller_pb2_grpc as controller_rpc
from tf.gen import grpc_stdio_pb2_grpc as stdio_rpc
from tf.gen import tfplugin_pb2_grpc as rpc
from typing_extensions import override

from local.provider.data_sources import DATA_SOURCES
from local.provider.engine.servicer import Servicer
from local.provider.resources import RESOURCES

ADDRESS = "registry.terraform.io/hashicorp/aws"
_THREADS = 24  # Terraform walks 10 resources at a time, and several runs may share one server
_MESSAGE_BYTES = 64 * 1024 * 1024  # what Terraform itself allows for an answer


class _Controller(controller_rpc.GRPCControllerServicer):  # type: ignore[misc]
    """Asked to shut down at the end of a run; the server belongs to whoever started it, and stays."""

    @override
    def Shutdown(self, request: Any, context: Any) -> Any:
        """Acknowledge."""
        return controller_pb.Empty()


class _Stdio(stdio_rpc.GRPCStdioServicer):  # type: ignore[misc]
    """The provider's output is that of the process it runs in: nothing to forward."""

    @override
    def StreamStdio(self, request: Any, context: Any) -> Iterator[Any]:
        """An empty stream."""
        yield from ()


@contextmanager
def serve(environment: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Serve the stand-in from threads of this process; yields the variables that make Terraform use it.

    `environment` is where it looks for the credentials and the region that a provider block does not have.

    It listens on 127.0.0.1 rather than on a Unix socket: a connection's port tells which provider block, of
    possibly several (aliases, or several runs), a call belongs to.
    """
    server = grpc.server(
        ThreadPoolExecutor(_THREADS, thread_name_prefix="provider"),
        options=[
            ("grpc.max_send_message_length", _MESSAGE_BYTES),
            ("grpc.max_receive_message_length", _MESSAGE_BYTES),
        ],
    )
    rpc.add_ProviderServicer_to_server(Servicer(RESOURCES, DATA_SOURCES, environment), server)
    controller_rpc.add_GRPCControllerServicer_to_server(_Controller(), server)
    stdio_rpc.add_GRPCStdioServicer_to_server(_Stdio(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    attachment = {
        "Protocol": "grpc",
        "ProtocolVersion": 6,
        "Pid": os.getpid(),
        "Test": True,
        "Addr": {"Network": "tcp", "String": f"127.0.0.1:{port}"},
    }
    try:
        yield {"TF_REATTACH_PROVIDERS": json.dumps({ADDRESS: attachment})}
    finally:
        server.stop(grace=2).wait()
