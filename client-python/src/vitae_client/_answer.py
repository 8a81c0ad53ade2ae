"""Answers of the service, read from headers and body."""
from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any, Dict, Generic, List, Mapping, Optional, Tuple, TypeVar, cast

from ._contract import CompanyMatches, DataSource

Record = TypeVar("Record")


@dataclass(frozen=True)
class RateLimit:
    """The state of the key's rate limit. None if a proxy dropped the header."""

    limit: Optional[int]
    remaining: Optional[int]
    reset_seconds: Optional[int]


@dataclass(frozen=True)
class Credits:
    """Credits in whole numbers. All three are None with a test key, which has no credits."""

    #: The cost of this answer: 0 on a replay, None on an error and with a test key.
    charged: Optional[int]
    #: The remaining credits of the key's environment.
    remaining: Optional[int]
    #: The remaining credits of the key's lowest ceiling, if it has one.
    ceiling_remaining: Optional[int]


@dataclass(frozen=True)
class FilledFrom:
    """Fields of a record that come from a different fetch than the one at ``fetched_at``."""

    provider: str
    #: Paths such as ``contact_info.email_address``.
    fields: List[str]
    age_seconds: int


@dataclass(frozen=True)
class Answer(Generic[Record]):
    """One record with everything the service reports about it."""

    record: Record
    #: ``live``, ``store``, or ``stale_fallback`` if the provider failed and the service used an older copy.
    source: DataSource
    #: When the service received the data.
    fetched_at: datetime
    age_seconds: int
    #: The fields that other fetches filled in; empty if the whole record comes from one fetch.
    filled_from: List[FilledFrom]
    #: When the provider itself last saw the data, if it reports that.
    source_updated_at: Optional[datetime]
    #: True if the record holds little more than an identity. Missing parts then mean nothing.
    thin: bool
    rate_limit: RateLimit
    credits: Credits
    request_id: Optional[str]
    #: Parameters that the service ignored because it does not know them.
    ignored_parameters: List[str]
    #: True if this is the repeated answer of a call that was already answered and billed.
    replayed: bool


@dataclass(frozen=True)
class MatchAnswer(Answer[Record]):
    """The record of a match, and its likelihood."""

    #: From 0 to 1.
    likelihood: Optional[float]
    #: The inputs that agreed, such as ``email``.
    matched_on: Tuple[str, ...]


@dataclass(frozen=True)
class ResolvedCompanies:
    """The companies of a domain, and the cost of the search."""

    matches: CompanyMatches
    credits: Credits
    request_id: Optional[str]
    replayed: bool


Headers = Mapping[str, str]


def read_count(headers: Headers, name: str) -> Optional[int]:
    """A header with a whole number; None if it is absent or anything else."""
    text = headers.get(name)
    return int(text) if text is not None and re.fullmatch(r"[0-9]{1,15}", text) else None


def read_time(headers: Headers, name: str) -> Optional[datetime]:
    """A header with a point in time, or None."""
    text = headers.get(name)
    form = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:Z|[+-][0-9]{2}:[0-9]{2})"
    if text is None or not re.fullmatch(form, text):
        return None
    try:
        # Python before 3.11 accepts only three or six digits of a second, and no Z.
        whole = re.sub(r"\.([0-9]+)", lambda part: "." + (part.group(1) + "000000")[:6], text)
        return datetime.fromisoformat(whole.replace("Z", "+00:00"))
    except ValueError:
        return None


def read_rate_limit(headers: Headers) -> RateLimit:
    """The state of the rate limit from the headers."""
    return RateLimit(*(read_count(headers, f"x-ratelimit-{name}") for name in ("limit", "remaining", "reset")))


def read_credits(headers: Headers) -> Credits:
    """The state of the credits from the headers."""
    return Credits(*(read_count(headers, f"x-credits-{name}") for name in ("charged", "remaining", "ceiling-remaining")))


def read_ignored(headers: Headers) -> List[str]:
    """The names in ``X-Ignored-Parameters``."""
    return [name.strip() for name in headers.get("x-ignored-parameters", "").split(",") if name.strip()]


_VALUE = r'(?:"(?:[^"\\]|\\.)*"|[^\s",;]+)'
_ELEMENT = re.compile(rf"({_VALUE})((?:\s*;\s*[a-z*][\w.*-]*(?:={_VALUE})?)*)", re.ASCII)
_PARAMETER = re.compile(rf";\s*([a-z*][\w.*-]*)=({_VALUE})", re.ASCII)


def read_filled_from(headers: Headers) -> List[FilledFrom]:
    """The elements of ``X-Filled-From``, an RFC 9651 list. Elements without fields or age are skipped."""
    filled = []
    for provider, parameters in _ELEMENT.findall(headers.get("x-filled-from", "")):
        given = dict(_PARAMETER.findall(parameters))
        fields = _unquote(given.get("fields", "")).split(",")
        age = read_count(given, "age")
        if "" not in fields and age is not None:
            filled.append(FilledFrom(_unquote(provider), fields, age))
    return filled


def _unquote(item: str) -> str:
    """The text of a token or a quoted string."""
    return re.sub(r"\\(.)", r"\1", item[1:-1]) if item.startswith('"') else item


def read_retry_after(headers: Headers, now: datetime) -> Optional[int]:
    """``Retry-After`` in seconds. Vitae sends seconds; a proxy may send a date."""
    seconds = read_count(headers, "retry-after")
    text = headers.get("retry-after")
    if seconds is not None or text is None:
        return seconds
    try:
        at = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    at = at if at.tzinfo else at.replace(tzinfo=timezone.utc)
    return max(0, -int(-(at - now).total_seconds() // 1))


def parse_object(body: bytes) -> Optional[Dict[str, Any]]:
    """The JSON object in a text, or None if there is none."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def read_answer(headers: Headers, body: bytes) -> Optional[Answer[Any]]:
    """A 200 as an answer, or None if it does not come from Vitae: a proxy's page must never pass for a record."""
    record = parse_object(body)
    source = headers.get("x-data-source")
    fetched_at = read_time(headers, "x-fetched-at")
    age_seconds = read_count(headers, "x-data-age-seconds")
    if record is None or source not in ("live", "store", "stale_fallback") or fetched_at is None or age_seconds is None:
        return None
    return Answer(
        record=record,
        source=cast(DataSource, source),
        fetched_at=fetched_at,
        age_seconds=age_seconds,
        filled_from=read_filled_from(headers),
        source_updated_at=read_time(headers, "x-source-updated-at"),
        thin=headers.get("x-record-thin") == "true",
        rate_limit=read_rate_limit(headers),
        credits=read_credits(headers),
        request_id=headers.get("x-request-id"),
        ignored_parameters=read_ignored(headers),
        replayed=headers.get("idempotent-replayed") == "true",
    )


def read_match(headers: Headers, body: bytes) -> Optional[MatchAnswer[Any]]:
    """The answer of a match."""
    answer = read_answer(headers, body)
    if answer is None:
        return None
    matched_on = tuple(name.strip() for name in headers.get("x-matched-on", "").split(",") if name.strip())
    return MatchAnswer(**vars(answer), likelihood=read_likelihood(headers), matched_on=matched_on)


def read_likelihood(headers: Headers) -> Optional[float]:
    """The likelihood of a match; None for any other call."""
    given = headers.get("x-match-likelihood")
    return float(given) if given is not None and re.fullmatch(r"[01](\.\d+)?", given) else None


def read_object(headers: Headers, body: bytes) -> Optional[Dict[str, Any]]:
    """A response without provenance. A proxy's page has no request id, so it is rejected."""
    return None if headers.get("x-request-id") is None else parse_object(body)


def read_resolved(headers: Headers, body: bytes) -> Optional[ResolvedCompanies]:
    """The answer of a search by domain."""
    matches = read_object(headers, body)
    if matches is None or not isinstance(matches.get("candidates"), list):
        return None
    return ResolvedCompanies(
        matches=cast(CompanyMatches, matches),
        credits=read_credits(headers),
        request_id=headers.get("x-request-id"),
        replayed=headers.get("idempotent-replayed") == "true",
    )
