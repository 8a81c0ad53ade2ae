"""What an answer holds, read from its headers and body."""
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
    """The state of the key's rate limit. None where a proxy in between dropped the header."""

    limit: Optional[int]
    remaining: Optional[int]
    reset_seconds: Optional[int]


@dataclass(frozen=True)
class Credits:
    """Credits in whole numbers. Test keys have none, so all three are None with them."""

    #: What this answer cost: 0 on a replay, None on an error and with a test key.
    charged: Optional[int]
    #: What the environment of the key has left.
    remaining: Optional[int]
    #: What is left of the key's ceilings, the least of them, where it has one.
    ceiling_remaining: Optional[int]


@dataclass(frozen=True)
class FilledFrom:
    """Fields of a record that come from another fetch than the one that ``fetched_at`` describes."""

    provider: str
    #: Paths such as ``contact_info.email_address``.
    fields: List[str]
    age_seconds: int


@dataclass(frozen=True)
class Answer(Generic[Record]):
    """One record, and everything the service says about it."""

    record: Record
    #: ``live``, ``store``, or ``stale_fallback`` where the provider was out and an older copy had to do.
    source: DataSource
    #: When the service received the data.
    fetched_at: datetime
    age_seconds: int
    #: The fields that other fetches filled in; empty where all of the record comes from one fetch.
    filled_from: List[FilledFrom]
    #: When the provider itself last saw the data, where it says so.
    source_updated_at: Optional[datetime]
    #: True where the record holds little more than an identity: missing parts then mean nothing.
    thin: bool
    rate_limit: RateLimit
    credits: Credits
    request_id: Optional[str]
    #: Parameters that the service does not know and ignored.
    ignored_parameters: List[str]
    #: True where this answers a retry of a call that was answered, and billed, before.
    replayed: bool


@dataclass(frozen=True)
class MatchAnswer(Answer[Record]):
    """The record that a match led to, and how sure it is that it is the one that was meant."""

    #: From 0 to 1.
    likelihood: Optional[float]
    #: What of the question agreed.
    matched_on: Tuple[str, ...]


@dataclass(frozen=True)
class ResolvedCompanies:
    """The companies of a domain, and what that cost."""

    matches: CompanyMatches
    credits: Credits
    request_id: Optional[str]
    replayed: bool


Headers = Mapping[str, str]


def read_count(headers: Headers, name: str) -> Optional[int]:
    """A header that holds a whole number, or None where it is absent or something else."""
    text = headers.get(name)
    return int(text) if text is not None and re.fullmatch(r"[0-9]{1,15}", text) else None


def read_time(headers: Headers, name: str) -> Optional[datetime]:
    """A header that holds a point in time, or None."""
    text = headers.get(name)
    form = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:Z|[+-][0-9]{2}:[0-9]{2})"
    if text is None or not re.fullmatch(form, text):
        return None
    try:
        # Python before 3.11 takes three or six digits of a second, and no Z.
        whole = re.sub(r"\.([0-9]+)", lambda part: "." + (part.group(1) + "000000")[:6], text)
        return datetime.fromisoformat(whole.replace("Z", "+00:00"))
    except ValueError:
        return None


def read_rate_limit(headers: Headers) -> RateLimit:
    """The rate limit's state as the answer tells it."""
    return RateLimit(*(read_count(headers, f"x-ratelimit-{name}") for name in ("limit", "remaining", "reset")))


def read_credits(headers: Headers) -> Credits:
    """The credits' state as the answer tells it."""
    return Credits(*(read_count(headers, f"x-credits-{name}") for name in ("charged", "remaining", "ceiling-remaining")))


def read_ignored(headers: Headers) -> List[str]:
    """The names in ``X-Ignored-Parameters``."""
    return [name.strip() for name in headers.get("x-ignored-parameters", "").split(",") if name.strip()]


_VALUE = r'(?:"(?:[^"\\]|\\.)*"|[^\s",;]+)'
_ELEMENT = re.compile(rf"({_VALUE})((?:\s*;\s*[a-z*][\w.*-]*(?:={_VALUE})?)*)", re.ASCII)
_PARAMETER = re.compile(rf";\s*([a-z*][\w.*-]*)=({_VALUE})", re.ASCII)


def read_filled_from(headers: Headers) -> List[FilledFrom]:
    """The elements of ``X-Filled-From``, a list of RFC 9651. Elements without fields or age are left out."""
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
    """The JSON object in a text, or None where the text holds none."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def read_answer(headers: Headers, body: bytes) -> Optional[Answer[Any]]:
    """A 200 as an answer, or None where it is not one of Vitae: a page of some proxy must never pass for a record."""
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
    """The same for a match."""
    answer = read_answer(headers, body)
    if answer is None:
        return None
    matched_on = tuple(name.strip() for name in headers.get("x-matched-on", "").split(",") if name.strip())
    return MatchAnswer(**vars(answer), likelihood=read_likelihood(headers), matched_on=matched_on)


def read_likelihood(headers: Headers) -> Optional[float]:
    """How sure a match is; None where no match was asked for."""
    given = headers.get("x-match-likelihood")
    return float(given) if given is not None and re.fullmatch(r"[01](\.\d+)?", given) else None


def read_object(headers: Headers, body: bytes) -> Optional[Dict[str, Any]]:
    """An answer without provenance of its own; a page of some proxy has no request id and is none."""
    return None if headers.get("x-request-id") is None else parse_object(body)


def read_resolved(headers: Headers, body: bytes) -> Optional[ResolvedCompanies]:
    """The answer to a search by domain."""
    matches = read_object(headers, body)
    if matches is None or not isinstance(matches.get("candidates"), list):
        return None
    return ResolvedCompanies(
        matches=cast(CompanyMatches, matches),
        credits=read_credits(headers),
        request_id=headers.get("x-request-id"),
        replayed=headers.get("idempotent-replayed") == "true",
    )
