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
  "$ACTIONS_ID_TOKEN_REQUEST_URL&audience=sts.amazonaws.com" | python3 -c '
import json, sys
try:
    print(json.load(sys.stdin)["value"])
except (ValueError, KeyError, TypeError):
    sys.exit("GitHub answered without a token: does the job have the permission id-token: write?")
')
echo "::add-mask::$token"
# No secret, and the first thing to compare with the role's trust when AWS says no.
echo "subject: $(python3 -c '
import base64, json, sys
claims = sys.argv[1].split(".")[1]
print(json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))["sub"])
' "$token")"

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
