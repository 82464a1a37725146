"""Files that a configuration names are looked for where Terraform works, not where the provider does."""

from __future__ import annotations

import socket
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from deploy.terraform import Terraform, TerraformError
from local.provider.engine.aws import Aws
from local.provider.engine.caller import working_directory
from local.provider.engine.errors import Problem

_FUNCTION = """
variable "file" {
  type = string
}
resource "aws_iam_role" "this" {
  name               = "relative"
  assume_role_policy = jsonencode({
    Version   = "2012-10-17"
    Statement = [{
      Effect = "Allow", Action = "sts:AssumeRole", Principal = { Service = "lambda.amazonaws.com" }
    }]
  })
}
resource "aws_lambda_function" "this" {
  function_name = "relative"
  role          = aws_iam_role.this.arn
  filename      = var.file
  handler       = "main.handler"
  runtime       = "python3.13"
}
"""
_CONNECT = """
import socket, sys
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as connection:
    connection.recv(1)
"""


def test_the_process_at_the_other_end_tells_where_it_works(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with subprocess.Popen([sys.executable, "-c", _CONNECT, str(port)], cwd=tmp_path) as process:
            connection, address = server.accept()
            with connection:
                assert working_directory(f"ipv4:127.0.0.1:{address[1]}") == tmp_path.resolve()
            process.wait(30)
        assert working_directory(f"ipv4:127.0.0.1:{address[1]}") is None


def test_a_relative_file_of_an_unknown_folder_is_refused() -> None:
    aws = Aws("us-east-1", {}, {}, {}, peer="ipv4:127.0.0.1:1")
    with pytest.raises(Problem, match="relative to a folder that is not known"):
        aws.read_file("filename", "package.zip")


def test_a_file_is_relative_to_terraforms_folder_and_missed_when_it_is_read(
    root: Callable[[str, Mapping[str, Any]], Terraform],
) -> None:
    terraform = root(_FUNCTION, {"file": "package.zip"})
    terraform.plan()
    with pytest.raises(TerraformError, match=r"filename: No such file or directory: .*/package\.zip"):
        terraform.apply()
    with zipfile.ZipFile(terraform.directory / "package.zip", "w") as package:
        package.writestr("main.py", "def handler(event, context):\n    return event\n")
    assert terraform.apply()["add"] == 1
    terraform.destroy()
