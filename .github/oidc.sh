#!/usr/bin/env bash
# Take an AWS role with the job's OIDC token: keys for the steps that follow, and no key kept anywhere.
#
#   oidc.sh ROLE_ARN [SECONDS]     an hour, unless more is said and the role's max_session_duration allows it
set -euo pipefail

role_arn=${1:-}
seconds=${2:-3600}
[[ $role_arn == arn:*:iam::*:role/* ]] || {
  echo "'$role_arn' is no ARN of a role: set the variable that the workflow takes it from (envs/bootstrap, ci_role_arns)" >&2
  exit 2
}
: "${ACTIONS_ID_TOKEN_REQUEST_URL:?the job needs the permission id-token: write}"

token=$(curl --fail --silent --show-error --retry 3 --max-time 30 \
  --header "Authorization: bearer $ACTIONS_ID_TOKEN_REQUEST_TOKEN" \
  "$ACTIONS_ID_TOKEN_REQUEST_URL&audience=sts.amazonaws.com" | jq --exit-status --raw-output .value)
echo "::add-mask::$token"
# No secret, and the first thing to compare with the role's trust when AWS says no.
echo "subject: $(jq --null-input --raw-output --arg token "$token" \
  '$token | split(".")[1] | gsub("-"; "+") | gsub("_"; "/") | @base64d | fromjson | .sub')"

# CloudTrail shows run and attempt as the session's name.
keys=$(aws sts assume-role-with-web-identity \
  --role-arn "$role_arn" --role-session-name "github-$GITHUB_RUN_ID-$GITHUB_RUN_ATTEMPT" --web-identity-token "$token" \
  --duration-seconds "$seconds" --output text --query 'Credentials.[AccessKeyId,SecretAccessKey,SessionToken]')
read -r key_id secret session <<< "$keys"
for secret_value in "$key_id" "$secret" "$session"; do
  echo "::add-mask::${secret_value:?AWS gave no keys}"
done

{
  echo "AWS_ACCESS_KEY_ID=$key_id"
  echo "AWS_SECRET_ACCESS_KEY=$secret"
  echo "AWS_SESSION_TOKEN=$session"
} >> "$GITHUB_ENV"
