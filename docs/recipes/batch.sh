#!/bin/sh
# Looks up a file of ids, one per line, and prints the results as NDJSON: ./batch.sh people ids.txt > results.ndjson
# Needs curl, VITAE_URL and VITAE_API_KEY. Given again for the same file, it is the same batch. A blank line is a row that is
# `invalid`, so that row numbers are line numbers. The file is UTF-8, or UTF-16 with a mark or Windows-1252 where iconv is there.
set -eu
if [ $# -ne 2 ]; then
  echo "usage: $0 people|companies FILE" >&2
  exit 1
fi
kind=$1
file=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The answer is in $work/answer; what the service says of a failure is printed, and ends the script.
call() {
  if ! curl --silent --show-error --fail-with-body --retry 5 -H "ApiKey: $VITAE_API_KEY" -o "$work/answer" "$@"; then
    cat "$work/answer" >&2 || :
    echo >&2
    exit 1
  fi
}
field() {
  value=$(sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" "$work/answer")
  if [ -z "$value" ]; then
    echo "the answer has no $1: $(cat "$work/answer")" >&2
    exit 1
  fi
}

case $(od -An -tx1 -N3 "$file" | tr -d ' \n') in
  fffe* | feff*) iconv -f UTF-16 -t UTF-8 "$file" > "$work/text" ;;
  efbbbf) tail -c +4 "$file" > "$work/text" ;;
  *)
    if ! command -v iconv > /dev/null || iconv -f UTF-8 -t UTF-8 "$file" > "$work/text" 2> /dev/null
    then cat "$file" > "$work/text"
    else iconv -f WINDOWS-1252 -t UTF-8 "$file" > "$work/text"
    fi ;;
esac
# Each line as a JSON text: a blank one stays a row.
tr -d '\r' < "$work/text" | sed 's/\\/\\\\/g; s/"/\\"/g; s/	/ /g; s/.*/"&"/' > "$work/ids.ndjson"

mark=$(cksum < "$work/ids.ndjson" | tr -c '0-9\n' '-')
call -X POST "$VITAE_URL/v1/batches?kind=$kind" -H 'Content-Type: application/x-ndjson' \
  -H "Idempotency-Key: batch-$kind-$mark" --data-binary "@$work/ids.ndjson"
field id
batch=$value
echo "submitted as $batch" >&2

while :; do
  call "$VITAE_URL/v1/batches/$batch"
  field status
  echo "$value" >&2
  case $value in
    completed) break ;;
    cancelled | failed)
      cat "$work/answer" >&2
      exit 1 ;;
  esac
  sleep "${POLL_SECONDS:-5}"
done
call "$VITAE_URL/v1/batches/$batch/results?format=ndjson"
cat "$work/answer"
