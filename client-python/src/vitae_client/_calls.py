"""Every call of the service, defined once. Both clients build their methods from these functions."""
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
# An id, a dictionary with an ``id`` and expected facts, or the inputs of a match. All other members are columns of the
# row.
BatchRow = Union[str, Mapping[str, Any]]
Result = TypeVar("Result")


@dataclass(frozen=True)
class Call(Generic[Result]):
    """The request, the reader of its response, and the route whose price it may cost."""

    request: ApiRequest
    read: Read[Result]
    timeout: Optional[float] = None
    #: The route whose highest price it may cost; None if it is free.
    priced_as: Optional[Route] = None


def _object(headers: Headers, body: bytes) -> Optional[Any]:
    return read_object(headers, body)


def account(*, timeout: Optional[float] = None) -> Call[Account]:
    """The permissions of the key, the remaining credits, and the prices. Free."""
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
    """Finds a person by e-mail address, phone number, or a name with a company."""
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
    """Finds a company by name or domain."""
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
    """The expected source and price of that lookup now. Free."""
    return Call(request.preflight_of(lookup.request), _object, lookup.timeout)


def resolve(
    domain: str,
    *,
    idempotency_key: Optional[str] = None,
    spend_tag: Optional[str] = None,
    timeout: Optional[float] = None,
) -> Call[ResolvedCompanies]:
    """The companies with a site at a domain, which may be given as a URL."""
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
    """Calls and credits of all keys of the environment, by ``day``, ``tag`` or ``endpoint``. Free."""
    query = {"from": from_, "to": to, "by": None if by is None else ",".join(by)}
    return Call(request.get("/v1/usage", query), _object, timeout)


def statement(*, month: Optional[str] = None, timeout: Optional[float] = None) -> Call[Statement]:
    """Balances, grants and charges of a month such as ``2026-10``. Default: the current month. Free."""
    return Call(request.get("/v1/statement", {"month": month}), _object, timeout)


def record_changes(
    *,
    after: Optional[str] = None,
    kind: Optional[Kind] = None,
    limit: Optional[int] = None,
    timeout: Optional[float] = None,
) -> Call[RecordChanges]:
    """A page of changes to record keys that you hold: merged, split, purged, erased. Free."""
    return Call(request.get("/v1/records/changes", {"after": after, "kind": kind, "limit": limit}), _object, timeout)


def receipt(request_id: str, *, timeout: Optional[float] = None) -> Call[Receipt]:
    """The cost of one call and the reason, by the ``request_id`` of its answer. Free."""
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
    """The versions of a person that the environment paid for, newest first, with the changes. Free."""
    return _history("people", "profile_id", profile_id, before, limit, timeout)


def company_history(
    company_id: str,
    *,
    before: Optional[int] = None,
    limit: Optional[int] = None,
    timeout: Optional[float] = None,
) -> Call[RecordHistory]:
    """The versions of a company that the environment paid for, newest first, with the changes. Free."""
    return _history("companies", "company_id", company_id, before, limit, timeout)


def _history(
    kind: Kind, name: str, id: str, before: Optional[int], limit: Optional[int], timeout: Optional[float]
) -> Call[RecordHistory]:
    query = {name: _identifier(id), "before": before, "limit": limit}
    return Call(request.get(f"/v1/{kind}/history", query), _object, timeout)


def profile_provenance(profile_id: str, *, timeout: Optional[float] = None) -> Call[RecordProvenance]:
    """The provider and fetch time of each unit of a person. Free."""
    return Call(request.get("/v1/people/provenance", {"profile_id": _identifier(profile_id)}), _object, timeout)


def company_provenance(company_id: str, *, timeout: Optional[float] = None) -> Call[RecordProvenance]:
    """The provider and fetch time of each unit of a company. Free."""
    return Call(request.get("/v1/companies/provenance", {"company_id": _identifier(company_id)}), _object, timeout)


def _identifier(id: str) -> str:
    if not isinstance(id, str) or not id.strip():
        raise ValueError("the identifier must be a slug, an id or a URL")
    return id


def events(after: Optional[str], types: Optional[Sequence[str]]) -> Call[EventFeed]:
    """A page of events."""

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
    """Submits rows: ids, or dictionaries with an ``id`` or with the inputs of a match. Identical rows are paid once.

    The result of a row returns its other members under ``columns``. ``fields``, ``require`` and ``expect`` work as in
    the lookups. With ``paths``, results contain only the values at these dotted paths. A repeated submission with the
    same ``idempotency_key`` is the same batch, with its first ``max_credits``.
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
    """The expected cost of a batch of these rows, and how much of it is in the store. Free."""
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
    """The progress of a batch."""
    return Call(request.get(_batch_path(batch_id), {}), _object, timeout)


def list_batches(*, limit: Optional[int] = None, after: Optional[str] = None) -> Call[BatchList]:
    """The environment's batches, newest first. Pass ``next`` of one page as ``after`` to get the following one."""
    return Call(request.get("/v1/batches", {"limit": limit, "after": after}), _object)


def cancel_batch(batch_id: str) -> Call[Batch]:
    """Cancels a batch and keeps the rows that were found."""
    return Call(request.send("POST", f"{_batch_path(batch_id)}/cancel"), _object)


def resume_batch(batch_id: str, *, max_credits: Optional[int] = None) -> Call[Batch]:
    """Resumes a paused batch, with a new limit if one is given."""
    return Call(request.send("POST", f"{_batch_path(batch_id)}/resume", {"max_credits": max_credits}), _object)


def batch_rows(batch_id: str, after: int) -> ApiRequest:
    """The request for the results of a batch after a row, as lines of JSON."""
    return request.get(f"{_batch_path(batch_id)}/results", {"format": "ndjson", "after": after})


class _PaidWatch(Dict[str, Any]):
    """A watch, and the cost of its match."""

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
    """Watches a record, by its id or by known facts at the price of a match. A watched record gets the new settings."""
    body = {"kind": kind, "id": id, "match": match, "every_days": every_days, "note": note}
    sent = request.send("POST", "/v1/watches", body)
    return Call(sent, _object) if match is None else Call(sent, _paid_watch, None, "match")


def list_watches(*, limit: Optional[int] = None, after: Optional[str] = None) -> Call[WatchList]:
    """A page of the environment's watches. Pass ``next`` of one page as ``after`` to get the following one."""
    return Call(request.get("/v1/watches", {"limit": limit, "after": after}), _object)


def delete_watch(watch_id: str) -> Call[WatchRemoved]:
    """Ends a watch."""
    return Call(request.send("DELETE", f"/v1/watches/{request.segment(watch_id)}"), _object)


def is_settled(batch: Mapping[str, Any]) -> bool:
    """Whether a batch stays unchanged until somebody acts."""
    is_full = batch["status"] == "paused" and batch["pause_reason"] == "max_credits_reached"
    return is_full or batch["status"] in ("completed", "cancelled", "failed")


def poll_seconds(batch: Mapping[str, Any], shortest: float) -> float:
    """The wait before the next poll of a batch."""
    left = batch["seconds_left"]
    return max(shortest, min(10.0, (2.0 if left is None else float(left)) / 2))


def no_result(_headers: Headers, _body: bytes) -> Optional[Any]:
    """Reads nothing, because rows are read as they arrive."""
    return None
