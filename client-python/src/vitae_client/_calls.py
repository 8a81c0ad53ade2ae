"""Every call of the service, written once: both clients make their methods from these functions."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Generic, Literal, Mapping, Optional, Sequence, TypeVar, Union

from . import _request as request
from ._answer import (
    Answer,
    Credits,
    Headers,
    MatchAnswer,
    ResolvedCompanies,
    read_answer,
    read_credits,
    read_match,
    read_object,
    read_resolved,
)
from ._attempts import Read
from ._contract import (
    Account,
    Batch,
    BatchList,
    BatchPreview,
    Company,
    EventFeed,
    Person,
    Preflight,
    Receipt,
    RecordChanges,
    RecordHistory,
    RecordProvenance,
    Statement,
    SubmittedBatch,
    Usage,
    Watch,
    WatchList,
    WatchRemoved,
)
from ._credit_limit import Route
from ._request import ApiRequest

Kind = Literal["people", "companies"]
# An id, or an ``id`` with what is expected of its record, or the members of a match, beside whatever else belongs to the row.
BatchRow = Union[str, Mapping[str, Any]]
Result = TypeVar("Result")


@dataclass(frozen=True)
class Call(Generic[Result]):
    """What is sent, how its answer is read, and what it may cost."""

    request: ApiRequest
    read: Read[Result]
    timeout: Optional[float] = None
    #: The route whose price it has at most; None where it is free.
    priced_as: Optional[Route] = None


def _object(headers: Headers, body: bytes) -> Optional[Any]:
    return read_object(headers, body)


def account(*, timeout: Optional[float] = None) -> Call[Account]:
    """What the key may do, what it and its environment have left, and what calls cost. Free."""
    return Call(request.get("/v1/account", {}), _object, timeout)


def profile(
    profile_id: str,
    *,
    include_contact_info: Optional[bool] = None,
    include_network_info: Optional[bool] = None,
    get_verification_details: Optional[bool] = None,
    max_age_days: Optional[float] = None,
    bypass_cache: Optional[bool] = None,
    only_stored: bool = False,
    refuse_stale: bool = False,
    require: Optional[Sequence[str]] = None,
    fields: Optional[Sequence[str]] = None,
    expect: Optional[Mapping[str, str]] = None,
    idempotency_key: Optional[str] = None,
    spend_tag: Optional[str] = None,
    timeout: Optional[float] = None,
) -> Call[Answer[Person]]:
    """Looks up one person by slug, member id or profile URL."""
    parts = {
        "include_contact_info": include_contact_info,
        "include_network_info": include_network_info,
        "get_verification_details": get_verification_details,
    }
    sent = request.lookup(
        "/v1/people/profile",
        {"profile_id": profile_id},
        parts=parts,
        max_age_days=max_age_days,
        bypass_cache=bypass_cache,
        only_stored=only_stored,
        refuse_stale=refuse_stale,
        require=require,
        fields=fields,
        expect=expect,
        idempotency_key=idempotency_key,
        spend_tag=spend_tag,
    )
    return Call(sent, read_answer, timeout, "people")


def details(
    company_id: str,
    *,
    max_age_days: Optional[float] = None,
    bypass_cache: Optional[bool] = None,
    only_stored: bool = False,
    refuse_stale: bool = False,
    require: Optional[Sequence[str]] = None,
    fields: Optional[Sequence[str]] = None,
    expect: Optional[Mapping[str, str]] = None,
    idempotency_key: Optional[str] = None,
    spend_tag: Optional[str] = None,
    timeout: Optional[float] = None,
) -> Call[Answer[Company]]:
    """Looks up one company by slug, company id or company, school or showcase URL."""
    sent = request.lookup(
        "/v1/companies/details",
        {"company_id": company_id},
        max_age_days=max_age_days,
        bypass_cache=bypass_cache,
        only_stored=only_stored,
        refuse_stale=refuse_stale,
        require=require,
        fields=fields,
        expect=expect,
        idempotency_key=idempotency_key,
        spend_tag=spend_tag,
    )
    return Call(sent, read_answer, timeout, "companies")


def match_person(
    *,
    email: Optional[str] = None,
    phone: Optional[str] = None,
    first_name: Optional[str] = None,
    last_name: Optional[str] = None,
    name: Optional[str] = None,
    company: Optional[str] = None,
    company_domain: Optional[str] = None,
    company_id: Optional[str] = None,
    location: Optional[str] = None,
    profile_id: Optional[str] = None,
    min_likelihood: Optional[float] = None,
    include_contact_info: Optional[bool] = None,
    include_network_info: Optional[bool] = None,
    get_verification_details: Optional[bool] = None,
    max_age_days: Optional[float] = None,
    bypass_cache: Optional[bool] = None,
    only_stored: bool = False,
    refuse_stale: bool = False,
    require: Optional[Sequence[str]] = None,
    fields: Optional[Sequence[str]] = None,
    idempotency_key: Optional[str] = None,
    spend_tag: Optional[str] = None,
    timeout: Optional[float] = None,
) -> Call[MatchAnswer[Person]]:
    """From an e-mail address, a phone number, or a name with a company to the person."""
    held = {
        "email": email,
        "phone": phone,
        "first_name": first_name,
        "last_name": last_name,
        "name": name,
        "company": company,
        "company_domain": company_domain,
        "company_id": company_id,
        "location": location,
        "profile_id": profile_id,
        "min_likelihood": min_likelihood,
        "include_contact_info": include_contact_info,
        "include_network_info": include_network_info,
        "get_verification_details": get_verification_details,
    }
    sent = request.match(
        "/v1/people/match",
        held,
        max_age_days=max_age_days,
        bypass_cache=bypass_cache,
        only_stored=only_stored,
        refuse_stale=refuse_stale,
        require=require,
        fields=fields,
        idempotency_key=idempotency_key,
        spend_tag=spend_tag,
    )
    return Call(sent, read_match, timeout, "match")


def match_company(
    *,
    name: Optional[str] = None,
    domain: Optional[str] = None,
    country: Optional[str] = None,
    company_id: Optional[str] = None,
    min_likelihood: Optional[float] = None,
    max_age_days: Optional[float] = None,
    bypass_cache: Optional[bool] = None,
    only_stored: bool = False,
    refuse_stale: bool = False,
    require: Optional[Sequence[str]] = None,
    fields: Optional[Sequence[str]] = None,
    idempotency_key: Optional[str] = None,
    spend_tag: Optional[str] = None,
    timeout: Optional[float] = None,
) -> Call[MatchAnswer[Company]]:
    """From a name or a domain to the company."""
    sent = request.match(
        "/v1/companies/match",
        {"name": name, "domain": domain, "country": country, "company_id": company_id, "min_likelihood": min_likelihood},
        max_age_days=max_age_days,
        bypass_cache=bypass_cache,
        only_stored=only_stored,
        refuse_stale=refuse_stale,
        require=require,
        fields=fields,
        idempotency_key=idempotency_key,
        spend_tag=spend_tag,
    )
    return Call(sent, read_match, timeout, "match")


def preflight(lookup: Call[Any]) -> Call[Preflight]:
    """What that lookup would do and cost if it were made now. Free."""
    return Call(request.preflight_of(lookup.request), _object, lookup.timeout)


def resolve(
    domain: str,
    *,
    idempotency_key: Optional[str] = None,
    spend_tag: Optional[str] = None,
    timeout: Optional[float] = None,
) -> Call[ResolvedCompanies]:
    """The companies that have their site at a domain, which may be given as a URL."""
    if not isinstance(domain, str) or not domain.strip():
        raise ValueError("the domain must be a name or a URL")
    options = {"idempotency_key": idempotency_key, "spend_tag": spend_tag}
    return Call(request.get("/v1/companies/resolve", {"domain": domain}, **options), read_resolved, timeout, "resolve")


def usage(
    *,
    from_: Optional[str] = None,
    to: Optional[str] = None,
    by: Optional[Sequence[str]] = None,
    timeout: Optional[float] = None,
) -> Call[Usage]:
    """What all keys of the environment have called and paid, by ``day``, ``tag`` or ``endpoint``. Free."""
    query = {"from": from_, "to": to, "by": None if by is None else ",".join(by)}
    return Call(request.get("/v1/usage", query), _object, timeout)


def statement(*, month: Optional[str] = None, timeout: Optional[float] = None) -> Call[Statement]:
    """What the environment had, got and spent in a month such as ``2026-10``; in this one if left out. Free."""
    return Call(request.get("/v1/statement", {"month": month}), _object, timeout)


def record_changes(
    *,
    after: Optional[str] = None,
    kind: Optional[Kind] = None,
    limit: Optional[int] = None,
    timeout: Optional[float] = None,
) -> Call[RecordChanges]:
    """A page of what happened to keys that you hold: merged, split, purged, erased. Free."""
    return Call(request.get("/v1/records/changes", {"after": after, "kind": kind, "limit": limit}), _object, timeout)


def receipt(request_id: str, *, timeout: Optional[float] = None) -> Call[Receipt]:
    """What one call cost and why, by the ``request_id`` of its answer. Free."""
    if not isinstance(request_id, str) or not request_id:
        raise ValueError("the request id must be a text")
    return Call(request.get(f"/v1/receipts/{request.segment(request_id)}", {}), _object, timeout)


def profile_history(
    profile_id: str,
    *,
    before: Optional[int] = None,
    limit: Optional[int] = None,
    timeout: Optional[float] = None,
) -> Call[RecordHistory]:
    """The versions of a person that the environment paid for, newest first, with what changed. Free."""
    return _history("people", "profile_id", profile_id, before, limit, timeout)


def company_history(
    company_id: str,
    *,
    before: Optional[int] = None,
    limit: Optional[int] = None,
    timeout: Optional[float] = None,
) -> Call[RecordHistory]:
    """The versions of a company that the environment paid for, newest first, with what changed. Free."""
    return _history("companies", "company_id", company_id, before, limit, timeout)


def _history(
    kind: Kind, name: str, id: str, before: Optional[int], limit: Optional[int], timeout: Optional[float]
) -> Call[RecordHistory]:
    query = {name: _identifier(id), "before": before, "limit": limit}
    return Call(request.get(f"/v1/{kind}/history", query), _object, timeout)


def profile_provenance(profile_id: str, *, timeout: Optional[float] = None) -> Call[RecordProvenance]:
    """Which provider said each unit of a person, and when. Free."""
    return Call(request.get("/v1/people/provenance", {"profile_id": _identifier(profile_id)}), _object, timeout)


def company_provenance(company_id: str, *, timeout: Optional[float] = None) -> Call[RecordProvenance]:
    """Which provider said each unit of a company, and when. Free."""
    return Call(request.get("/v1/companies/provenance", {"company_id": _identifier(company_id)}), _object, timeout)


def _identifier(id: str) -> str:
    if not isinstance(id, str) or not id.strip():
        raise ValueError("the identifier must be a slug, an id or a URL")
    return id


def events(after: Optional[str], types: Optional[Sequence[str]]) -> Call[EventFeed]:
    """A page of the events."""

    def read(headers: Headers, body: bytes) -> Optional[Any]:
        feed = read_object(headers, body) or {}
        return feed if isinstance(feed.get("events"), list) and isinstance(feed.get("next"), str) else None

    return Call(request.get("/v1/events", {"after": after, "type": None if types is None else ",".join(types)}), read)


def create_batch(
    kind: Kind,
    ids: Sequence[BatchRow],
    *,
    name: Optional[str] = None,
    max_credits: Optional[int] = None,
    max_age_days: Optional[float] = None,
    bypass_cache: Optional[bool] = None,
    include_contact_info: Optional[bool] = None,
    include_network_info: Optional[bool] = None,
    get_verification_details: Optional[bool] = None,
    fields: Optional[Sequence[str]] = None,
    paths: Optional[Sequence[str]] = None,
    require: Optional[Sequence[str]] = None,
    expect: Optional[Mapping[str, str]] = None,
    min_likelihood: Optional[float] = None,
    idempotency_key: Optional[str] = None,
    spend_tag: Optional[str] = None,
    timeout: Optional[float] = None,
) -> Call[SubmittedBatch]:
    """Submits rows: ids, or dictionaries with an ``id`` or with the members of a match. Rows that ask for the same are paid once.

    All other members of a row come back in its result under ``columns``. ``fields``, ``require`` and ``expect`` mean what they mean
    at the lookups; ``paths`` are dotted paths that results show instead. Under the same ``idempotency_key`` a repeated submission is
    the same batch.
    """
    body: Dict[str, Any] = {
        "kind": kind,
        "ids": list(ids),
        "name": name,
        "max_credits": max_credits,
        "max_age_days": None if max_age_days is None else float(request.print_days(max_age_days)),
        "bypass_cache": bypass_cache,
        "include_contact_info": include_contact_info,
        "include_network_info": include_network_info,
        "get_verification_details": get_verification_details,
        "fields": None if fields is None else list(fields),
        "paths": None if paths is None else list(paths),
        "require": None if require is None else list(require),
        "expect": None if expect is None else dict(expect),
        "min_likelihood": min_likelihood,
    }
    sent = request.send("POST", "/v1/batches", body, idempotency_key=idempotency_key, spend_tag=spend_tag)
    return Call(sent, _object, timeout)


def preview_batch(
    kind: Kind,
    ids: Sequence[BatchRow],
    *,
    max_age_days: Optional[float] = None,
    bypass_cache: Optional[bool] = None,
    include_contact_info: Optional[bool] = None,
    include_network_info: Optional[bool] = None,
    get_verification_details: Optional[bool] = None,
    timeout: Optional[float] = None,
) -> Call[BatchPreview]:
    """What a batch of these rows would cost, and how much of it the store has. Free."""
    body: Dict[str, Any] = {
        "kind": kind,
        "ids": list(ids),
        "max_age_days": None if max_age_days is None else float(request.print_days(max_age_days)),
        "bypass_cache": bypass_cache,
        "include_contact_info": include_contact_info,
        "include_network_info": include_network_info,
        "get_verification_details": get_verification_details,
    }
    return Call(request.send("POST", "/v1/batches/preview", body), _object, timeout)


def _batch_path(batch_id: str) -> str:
    return f"/v1/batches/{request.segment(batch_id)}"


def get_batch(batch_id: str, *, timeout: Optional[float] = None) -> Call[Batch]:
    """How far a batch is."""
    return Call(request.get(_batch_path(batch_id), {}), _object, timeout)


def list_batches(*, limit: Optional[int] = None, after: Optional[str] = None) -> Call[BatchList]:
    """The environment's batches, newest first; ``next`` of one page is the ``after`` of the following one."""
    return Call(request.get("/v1/batches", {"limit": limit, "after": after}), _object)


def cancel_batch(batch_id: str) -> Call[Batch]:
    """Ends a batch; what was found stays."""
    return Call(request.send("POST", f"{_batch_path(batch_id)}/cancel"), _object)


def resume_batch(batch_id: str, *, max_credits: Optional[int] = None) -> Call[Batch]:
    """Lets a paused batch go on, with another limit where one is given."""
    return Call(request.send("POST", f"{_batch_path(batch_id)}/resume", {"max_credits": max_credits}), _object)


def batch_rows(batch_id: str, after: int) -> ApiRequest:
    """The results of a batch behind a row, as lines of JSON."""
    return request.get(f"{_batch_path(batch_id)}/results", {"format": "ndjson", "after": after})


class _PaidWatch(Dict[str, Any]):
    """A watch, and what the match for it cost."""

    credits: Credits


def _paid_watch(headers: Headers, body: bytes) -> Optional[Any]:
    made = read_object(headers, body)
    if made is None:
        return None
    watch = _PaidWatch(made)
    watch.credits = read_credits(headers)
    return watch


def create_watch(
    kind: Kind,
    id: Optional[str] = None,
    *,
    match: Optional[Mapping[str, Any]] = None,
    every_days: Optional[int] = None,
    note: Optional[str] = None,
) -> Call[Watch]:
    """Watches a record, by its id or by what you hold, which is paid for as a match. One that is watched already takes the new settings."""
    body = {"kind": kind, "id": id, "match": match, "every_days": every_days, "note": note}
    sent = request.send("POST", "/v1/watches", body)
    return Call(sent, _object) if match is None else Call(sent, _paid_watch, None, "match")


def list_watches(*, limit: Optional[int] = None, after: Optional[str] = None) -> Call[WatchList]:
    """A page of the environment's watches; ``next`` of one page is the ``after`` of the following one."""
    return Call(request.get("/v1/watches", {"limit": limit, "after": after}), _object)


def delete_watch(watch_id: str) -> Call[WatchRemoved]:
    """Ends a watch."""
    return Call(request.send("DELETE", f"/v1/watches/{request.segment(watch_id)}"), _object)


def is_settled(batch: Mapping[str, Any]) -> bool:
    """Whether nothing more happens to a batch until somebody does something."""
    is_full = batch["status"] == "paused" and batch["pause_reason"] == "max_credits_reached"
    return is_full or batch["status"] in ("completed", "cancelled", "failed")


def poll_seconds(batch: Mapping[str, Any], shortest: float) -> float:
    """How long to wait before the next look at a batch."""
    left = batch["seconds_left"]
    return max(shortest, min(10.0, (2.0 if left is None else float(left)) / 2))


def no_result(_headers: Headers, _body: bytes) -> Optional[Any]:
    """Reads nothing: rows are read as they arrive."""
    return None
