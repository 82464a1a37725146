#!/usr/bin/env bash
# Hand a plan from the job that makes it to the job that applies it, past everybody who can read artifacts: encrypted for
# a certificate whose private key only the protected GitHub environment has.
#
#   sealed.sh seal FOLDER ENVIRONMENT FILE   with CERTIFICATE
#   sealed.sh open FILE FOLDER               with CERTIFICATE and PRIVATE_KEY
set -euo pipefail
umask 077

given() { # given NAME WHERE: write a variable's PEM into a file, and print the file's name
  [[ ${!1:-} == *-----BEGIN* ]] || { echo "$1 is not a PEM block: docs/environments.md says how to make it ($2)" >&2; exit 2; }
  printf '%s\n' "${!1}" > "$work/$1"
  echo "$work/$1"
}

work=$(mktemp --directory)
trap 'rm -rf "$work"' EXIT
case ${1:-} in
  seal)
    certificate=$(given CERTIFICATE 'a repository variable')
    tar --create --directory "${2:?a folder}" "${3:?an environment}.tfplan" "$3.plan.json" \
      | openssl cms -encrypt -binary -aes-256-gcm -outform DER -out "${4:?a file}" "$certificate"
    ;;
  open)
    certificate=$(given CERTIFICATE 'a repository variable')
    key=$(given PRIVATE_KEY 'a secret of the GitHub environment')
    mkdir --parents "${3:?a folder}"
    # Whole before any of it is used: what was altered is noticed at the end.
    openssl cms -decrypt -binary -inform DER -in "${2:?a file}" -recip "$certificate" -inkey "$key" -out "$work/plan.tar"
    tar --extract --directory "$3" --file "$work/plan.tar"
    ;;
  *)
    sed -n '5,6s/^# *//p' "$0" >&2
    exit 2
    ;;
esac
