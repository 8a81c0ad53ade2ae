"""The client's options, validated and complete."""
from __future__ import annotations

import os
import random
import re
import time
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Optional
from urllib.parse import urlsplit

from ._request import ApiRequest, check_spend_tag
from ._version import VERSION

#: Called with a dict for each attempt: ``attempt``, ``url``, ``idempotency_key`` and details of the event. Never the
#: key.
Hook = Callable[[Dict[str, Any]], object]


@dataclass(frozen=True)
class Settings:
    """The settings that every call of a client needs."""

    # Excluded from repr, so that a logged client shows no key.
    api_key: str = field(repr=False)
    base_url: str
    timeout: float
    max_retries: int
    spend_tag: Optional[str]
    on_request: Optional[Hook]
    on_response: Optional[Hook]
    on_retry: Optional[Hook]
    now: Callable[[], float] = field(default=time.monotonic)
    chance: Callable[[], float] = field(default=random.random)

    def redact(self, text: str) -> str:
        """The text without the key."""
        return text.replace(self.api_key, "[key]")

    def headers(self, request: ApiRequest) -> Dict[str, str]:
        """The headers of a request, with the key."""
        tag = request.spend_tag or self.spend_tag
        optional = {
            "Content-Type": None if request.body is None else "application/json",
            "Cache-Control": request.cache_control,
            "X-Spend-Tag": tag,
        }
        return {
            "ApiKey": self.api_key,
            "Accept": "application/json",
            "Idempotency-Key": request.idempotency_key,
            "User-Agent": f"vitae-client-python/{VERSION}",
            **{name: value for name, value in optional.items() if value is not None},
        }


def read_settings(
    api_key: Optional[str],
    base_url: Optional[str],
    timeout: float,
    max_retries: int,
    spend_tag: Optional[str],
    on_request: Optional[Hook],
    on_response: Optional[Hook],
    on_retry: Optional[Hook],
) -> Settings:
    """Reads the options. Raises a ValueError that names the wrong option and never shows the key."""
    key = os.environ.get("VITAE_API_KEY") if api_key is None else api_key
    if not isinstance(key, str) or not re.fullmatch(r"[!-~]+", key):
        raise ValueError("api_key (or VITAE_API_KEY) must be the key of a Vitae service: visible ASCII without spaces")
    if isinstance(max_retries, bool) or not isinstance(max_retries, int) or max_retries < 0:
        raise ValueError("max_retries must be a whole number from 0")
    return Settings(
        api_key=key,
        base_url=_read_base_url(os.environ.get("VITAE_URL", "") if base_url is None else base_url),
        timeout=check_timeout(timeout),
        max_retries=max_retries,
        spend_tag=check_spend_tag(spend_tag),
        on_request=on_request,
        on_response=on_response,
        on_retry=on_retry,
    )


def check_timeout(timeout: float) -> float:
    """A number of seconds above 0."""
    if not isinstance(timeout, (int, float)) or not 0 < timeout < 2_000_000:
        raise ValueError("timeout must be a number of seconds above 0")
    return timeout


def _read_base_url(base_url: str) -> str:
    parts = urlsplit(base_url)
    plain = parts.scheme in ("http", "https") and parts.hostname and not parts.query and not parts.fragment
    if not plain or parts.username or parts.password:
        raise ValueError("base_url (or VITAE_URL) must be an http or https URL without credentials, query or fragment")
    return base_url.rstrip("/")
