#!/bin/sh
# Looks up a file of ids, one per line, and prints the results as NDJSON: ./batch.sh people ids.txt > results.ndjson
# Needs curl, VITAE_URL and VITAE_API_KEY. Given again for the same file, it is the same batch.
set -eu
kind=$1
file=$2

call() {
  curl --silent --show-error --fail-with-body --retry 5 -H "ApiKey: $VITAE_API_KEY" "$@"
}
field() {
  sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"
}

mark=$(cksum < "$file" | tr -c '0-9\n' '-')
batch=$( (echo id; cat "$file") | call -X POST "$VITAE_URL/v1/batches?kind=$kind&column=id" \
  -H 'Content-Type: text/csv' -H "Idempotency-Key: batch-$kind-$mark" --data-binary @- | field id)
echo "submitted as $batch" >&2

while :; do
  status=$(call "$VITAE_URL/v1/batches/$batch" | field status)
  echo "$status" >&2
  case $status in
    completed) break ;;
    cancelled | failed) exit 1 ;;
  esac
  sleep "${POLL_SECONDS:-5}"
done
call "$VITAE_URL/v1/batches/$batch/results?format=ndjson"
