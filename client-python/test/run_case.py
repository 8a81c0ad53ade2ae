"""Makes the calls that a test of both clients requests: one line of JSON in, one line out."""
import asyncio
import dataclasses
import datetime
import json
import ssl
import sys
from typing import Any

import vitae_client

# Each case has its own client and none uses TLS. Skipping the machine's certificates saves most of the run time.
ssl.SSLContext.load_verify_locations = lambda *_args, **_options: None  # type: ignore[method-assign]


def plain(value: Any) -> Any:
    """A result in the form in which both clients are compared."""
    if dataclasses.is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, list):
        return [plain(each) for each in value]
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return value


def failure(error: vitae_client.VitaeError) -> Any:
    return {
        "class": type(error).__name__,
        "code": error.code,
        "status": error.status,
        "retryable": error.retryable,
        "detail": error.detail,
        "retry_after_seconds": error.retry_after_seconds,
        "errors": [list(each) for each in error.errors],
        "idempotency_key": error.idempotency_key,
        "credits": plain(error.credits) if error.credits else None,
        "is_a": [each.__name__ for each in type(error).__mro__ if each.__name__.startswith("Vitae")],
    }


def find(client: Any, method: str) -> Any:
    for name in method.split("."):
        client = getattr(client, name)
    return client


def run(case: Any) -> Any:
    with vitae_client.VitaeClient(case["api_key"], case["base_url"], **case.get("client", {})) as client:
        result = find(client, case["method"])(*case["args"], **case["options"])
        return list(result) if hasattr(result, "__iter__") and not isinstance(result, (dict, str)) else plain(result)


async def run_async(case: Any) -> Any:
    async with vitae_client.AsyncVitaeClient(case["api_key"], case["base_url"], **case.get("client", {})) as client:
        result = find(client, case["method"])(*case["args"], **case["options"])
        if hasattr(result, "__aiter__"):
            return [item async for item in result]
        return plain(await result)


for line in sys.stdin:
    case = json.loads(line)
    answer: Any
    try:
        answer = {"result": asyncio.run(run_async(case)) if case["is_async"] else run(case)}
    except vitae_client.VitaeError as error:
        answer = {"failure": failure(error)}
    except (ValueError, TypeError) as error:
        answer = {"refused": str(error)}
    print(json.dumps(answer), flush=True)
