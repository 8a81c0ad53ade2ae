"""The request of one logical call, identical for each attempt."""
from __future__ import annotations

import json
import math
import re
import uuid
from dataclasses import dataclass, replace
from typing import Any, Dict, Mapping, Optional, Sequence, Union
from urllib.parse import quote, urlencode

Value = Union[str, int, bool, None]


@dataclass(frozen=True)
class ApiRequest:
    """A request without the key and the base URL."""

    path: str
    idempotency_key: str
    method: str = "GET"
    body: Optional[bytes] = None
    cache_control: Optional[str] = None
    spend_tag: Optional[str] = None


def get(path: str, parameters: Mapping[str, Value], **options: Any) -> ApiRequest:
    """A GET request; parameters that are None are left out."""
    query = urlencode({name: _text(value) for name, value in parameters.items() if value is not None})
    return ApiRequest(path=f"{path}?{query}" if query else path, **send_options(**options))


def send(method: str, path: str, body: Optional[Mapping[str, Any]] = None, **options: Any) -> ApiRequest:
    """A request with a JSON body; members that are None are left out."""
    present = None if body is None else {name: value for name, value in body.items() if value is not None}
    encoded = None if present is None else json.dumps(present, ensure_ascii=False).encode()
    return ApiRequest(path=path, method=method, body=encoded, **send_options(**options))


def _text(value: Value) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def lookup(
    path: str,
    identifier: Mapping[str, str],
    *,
    max_age_days: Optional[float],
    bypass_cache: Optional[bool],
    only_stored: bool,
    refuse_stale: bool,
    require: Optional[Sequence[str]],
    fields: Optional[Sequence[str]],
    expect: Optional[Mapping[str, str]],
    idempotency_key: Optional[str],
    spend_tag: Optional[str],
    parts: Optional[Mapping[str, Optional[bool]]] = None,
) -> ApiRequest:
    """The request for one record."""
    for value in identifier.values():
        if not isinstance(value, str) or not value.strip():
            raise ValueError("the identifier must be a slug, an id or a URL")
    parameters: Dict[str, Value] = {
        **identifier,
        **(parts or {}),
        "require": None if require is None else ",".join(require),
        "max_age_days": None if max_age_days is None else print_days(max_age_days),
        "bypass_cache": bypass_cache,
        "fields": None if fields is None else ",".join(fields),
        **{f"expect.{name}": value for name, value in (expect or {}).items()},
    }
    request = get(path, parameters, idempotency_key=idempotency_key, spend_tag=spend_tag)
    return replace(request, cache_control=_cache_control(only_stored, refuse_stale))


def match(
    path: str,
    held: Mapping[str, Any],
    *,
    max_age_days: Optional[float],
    bypass_cache: Optional[bool],
    only_stored: bool,
    refuse_stale: bool,
    require: Optional[Sequence[str]],
    fields: Optional[Sequence[str]],
    idempotency_key: Optional[str],
    spend_tag: Optional[str],
) -> ApiRequest:
    """The request of a match. The known facts are only in the body, never in the URL."""
    body = {
        **held,
        "max_age_days": None if max_age_days is None else float(print_days(max_age_days)),
        "bypass_cache": bypass_cache,
        "require": None if require is None else ",".join(require),
        "fields": None if fields is None else ",".join(fields),
    }
    request = send("POST", path, body, idempotency_key=idempotency_key, spend_tag=spend_tag)
    return replace(request, cache_control=_cache_control(only_stored, refuse_stale))


def _cache_control(only_stored: bool, refuse_stale: bool) -> Optional[str]:
    directives = [name for name, wanted in (("only-if-cached", only_stored), ("stale-if-error=0", refuse_stale)) if wanted]
    return ", ".join(directives) or None


def preflight_of(request: ApiRequest) -> ApiRequest:
    """The preflight request for the same lookup."""
    return replace(request, path=request.path.replace("?", "/preflight?", 1))


def print_days(days: float) -> str:
    """Days as a plain decimal. The maximum of any service is far below a million days."""
    if not isinstance(days, (int, float)) or not math.isfinite(days) or days < 0:
        raise ValueError("max_age_days must be a number from 0")
    return format(min(days, 1_000_000), ".10f").rstrip("0").rstrip(".")


def send_options(idempotency_key: Optional[str] = None, spend_tag: Optional[str] = None) -> Dict[str, Any]:
    """The header options of a call."""
    key = str(uuid.uuid4()) if idempotency_key is None else idempotency_key
    if not isinstance(key, str) or not re.fullmatch(r"[!-~]{1,255}", key):
        raise ValueError("idempotency_key must be 1 to 255 visible ASCII characters")
    return {"idempotency_key": key, "spend_tag": check_spend_tag(spend_tag)}


def check_spend_tag(tag: Optional[str]) -> Optional[str]:
    """A valid spend tag, or None. Raises ValueError for any other value."""
    if tag is not None and not re.fullmatch(r"[A-Za-z0-9._-]{1,64}", tag):
        raise ValueError("spend_tag must be 1 to 64 of A-Z, a-z, 0-9, dot, hyphen and underscore")
    return tag


def segment(value: str) -> str:
    """A path segment."""
    return quote(value, safe="")
