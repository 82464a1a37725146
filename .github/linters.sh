#!/usr/bin/env bash
# Install tflint and actionlint for the steps that follow. By Go's own tooling, which checks each module against the
# public checksum database. shellcheck is on GitHub's runners.
set -euo pipefail

go install github.com/terraform-linters/tflint@v0.61.0
go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.7
echo "$(go env GOPATH)/bin" >> "$GITHUB_PATH"
