"""Looks up a file of ids, one per line, and prints the results as NDJSON: python3 batch.py people ids.txt > results.ndjson

Needs only the standard library, VITAE_URL and VITAE_API_KEY. Given again for the same file, it is the same batch.
"""
import hashlib
import json
import os
import shutil
import sys
import time
import urllib.request

URL, KEY = os.environ["VITAE_URL"], os.environ["VITAE_API_KEY"]
kind, path = sys.argv[1:3]


def call(where, body=None, **headers):
    request = urllib.request.Request(URL + where, data=body, headers={"ApiKey": KEY, **headers})
    return urllib.request.urlopen(request, timeout=60)


with open(path, encoding="utf-8") as file:
    ids = [line.strip() for line in file if line.strip()]
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
