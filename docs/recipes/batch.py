"""Looks up a file of ids, one per line, and prints the results as NDJSON: python3 batch.py people ids.txt > results.ndjson

Needs only the standard library, VITAE_URL and VITAE_API_KEY. Given again for the same file, it is the same batch. A blank line is a
row that is `invalid`, so that row numbers are line numbers. The file is UTF-8, UTF-16 with a mark, or Windows-1252.
"""
import hashlib
import json
import os
import shutil
import sys
import time
import urllib.error
import urllib.request


def call(where, body=None, **headers):
    url, key = os.environ["VITAE_URL"], os.environ["VITAE_API_KEY"]
    request = urllib.request.Request(url + where, data=body, headers={"ApiKey": key, **headers})
    try:
        return urllib.request.urlopen(request, timeout=60)
    except urllib.error.HTTPError as error:
        sys.exit(f"{where}: {error.code} {error.read().decode(errors='replace')}")


def read_text(path):
    with open(path, "rb") as file:
        data = file.read()
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: batch.py people|companies FILE")
    kind, path = sys.argv[1:]
    lines = read_text(path).replace("\r\n", "\n").split("\n")
    ids = [line.strip() for line in (lines[:-1] if lines[-1] == "" else lines)]
    body = json.dumps({"kind": kind, "ids": ids}).encode()
    mark = "batch-" + hashlib.sha256(body).hexdigest()
    with call("/v1/batches", body, **{"Content-Type": "application/json", "Idempotency-Key": mark}) as answer:
        batch = json.load(answer)["id"]

    while True:
        with call(f"/v1/batches/{batch}") as answer:
            state = json.load(answer)
        print(state["status"], state["counts"], file=sys.stderr)
        if state["status"] == "completed":
            break
        if state["status"] in ("cancelled", "failed"):
            sys.exit(f"{batch}: {state['error'] or state['status']}")
        time.sleep(float(os.environ.get("POLL_SECONDS", "5")))

    with call(f"/v1/batches/{batch}/results?format=ndjson") as results:
        shutil.copyfileobj(results, sys.stdout.buffer)


try:
    main()
except OSError as error:
    sys.exit(str(error))
