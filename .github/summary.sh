#!/usr/bin/env bash
# Print what a plan changes and what the gate says of it, in Markdown; a part that was not made is said to be missing.
set -euo pipefail

environment=${1:?an environment}
plans=${2:?the folder of its plan}
reports=${3:?the folder of the gate\'s reports}

echo "## $environment"
echo
cat "$plans/$environment.md" 2>/dev/null || echo 'The plan failed.'
echo
cat "$reports/gate.md" 2>/dev/null || echo 'The gate has judged nothing.'
