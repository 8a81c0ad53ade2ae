"""Verifies that a webhook request comes from the service."""
from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from typing import Any, Mapping, Optional, TypedDict, Union


class WebhookEvent(TypedDict):
    """An event in the body of a webhook request."""

    id: str
    type: str
    #: RFC 3339, UTC.
    at: str
    #: The same as ``at``, under its Standard Webhooks name.
    timestamp: str
    #: None in events of the whole service, such as ``provider.down``, as is ``environment``.
    project: Optional[str]
    environment: Optional[str]
    data: Mapping[str, Any]


class WebhookVerificationError(Exception):
    """The request is too old, or was not signed with the secret. Answer it with 401 or 400."""


TOLERANCE_SECONDS = 300


def verify_webhook(headers: Mapping[str, str], body: Union[bytes, str], secret: str) -> WebhookEvent:
    """Checks that a request was signed with the webhook's secret within the last five minutes, and returns its event.

    Pass the body exactly as received, because parsing and serialising it changes the signature.
    """
    plain = {name.lower(): value for name, value in headers.items()}
    webhook_id, timestamp, signatures = (_header(plain, f"webhook-{name}") for name in ("id", "timestamp", "signature"))
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        raise WebhookVerificationError("webhook-timestamp is not a time")
    if abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        raise WebhookVerificationError("webhook-timestamp is more than five minutes away")
    raw = body.encode() if isinstance(body, str) else bytes(body)
    expected = hmac.new(_key(secret), f"{webhook_id}.{timestamp}.".encode() + raw, hashlib.sha256).digest()
    if not any(_matches(signature, expected) for signature in signatures.split(" ")):
        raise WebhookVerificationError("no signature matches the body and the secret")
    try:
        event = json.loads(raw)
    except ValueError:
        event = None
    if not isinstance(event, dict):
        raise WebhookVerificationError("the body is not a JSON object")
    # The signature proves that the service sent it, so the cast is safe.
    return event  # type: ignore[return-value]


def _header(headers: Mapping[str, str], name: str) -> str:
    value = headers.get(name)
    if not isinstance(value, str) or value == "":
        raise WebhookVerificationError(f"{name} is missing")
    return value


def _key(secret: str) -> bytes:
    key = _decode(secret[len("whsec_") :] if secret.startswith("whsec_") else secret)
    if not key:
        raise WebhookVerificationError("the secret is empty or not base64")
    return key


def _matches(signature: str, expected: bytes) -> bool:
    version, _, text = signature.partition(",")
    return version == "v1" and hmac.compare_digest(_decode(text) or b"", expected)


def _decode(text: str) -> Optional[bytes]:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None
