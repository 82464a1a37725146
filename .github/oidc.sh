#!/usr/bin/env bash
# Take an AWS role with the job's OIDC token: an hour's keys for the steps that follow, and no key kept anywhere.
set -euo pipefail

role_arn=${1:?the ARN of the role to take}
: "${ACTIONS_ID_TOKEN_REQUEST_URL:?the job needs the permission id-token: write}"

token=$(curl --fail --silent --show-error --retry 3 \
  --header "Authorization: bearer $ACTIONS_ID_TOKEN_REQUEST_TOKEN" \
  "$ACTIONS_ID_TOKEN_REQUEST_URL&audience=sts.amazonaws.com" | jq --exit-status --raw-output .value)
echo "::add-mask::$token"

read -r key_id secret session < <(aws sts assume-role-with-web-identity \
  --role-arn "$role_arn" --role-session-name "github-$GITHUB_RUN_ID" --web-identity-token "$token" \
  --duration-seconds 3600 --output text --query 'Credentials.[AccessKeyId,SecretAccessKey,SessionToken]')
for secret_value in "$key_id" "$secret" "$session"; do
  echo "::add-mask::${secret_value:?AWS gave no keys}"
done

{
  echo "AWS_ACCESS_KEY_ID=$key_id"
  echo "AWS_SECRET_ACCESS_KEY=$secret"
  echo "AWS_SESSION_TOKEN=$session"
} >> "$GITHUB_ENV"
