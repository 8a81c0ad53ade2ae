"""The synchronous client."""
from __future__ import annotations

import functools
import json
import time
from typing import Any, Callable, Concatenate, Iterator, List, Optional, ParamSpec, Sequence, Tuple, Type, TypeVar, cast

import httpx

from . import _calls as calls
from ._answer import Headers
from ._attempts import Attempts
from ._calls import Call, Kind
from ._contract import Account, Batch, BatchResultRow, Preflight, Receipt, RecordChanges, Statement, Usage, VitaeEvent
from ._credit_limit import CreditLimit
from ._errors import VitaeError
from ._settings import Hook, Settings, read_settings

P = ParamSpec("P")
Result = TypeVar("Result")
Self = TypeVar("Self", bound="VitaeClient")


class Sender:
    """Sends calls and their retries, within the client's credit limit."""

    def __init__(self, settings: Settings, http: httpx.Client, limit: Optional[CreditLimit]) -> None:
        self.settings = settings
        self.http = http
        self.limit = limit

    def run(self, call: Call[Result]) -> Result:
        """Returns the result of a call, or raises its failure."""
        if self.limit is None or call.priced_as is None:
            return self._send(call)
        account = self.limit.account(self.settings.now())
        if account is None:
            account = self._send(calls.account(timeout=call.timeout))
            self.limit.learn(account, self.settings.now())
        reserved = self.limit.reserve(account, call.priced_as, call.request.idempotency_key)
        try:
            result = self._send(call)
        except VitaeError as error:
            self.limit.failed(reserved, error)
            raise
        self.limit.settle(reserved, cast(Any, result).credits.charged or 0)
        return result

    def _send(self, call: Call[Result]) -> Result:
        attempts = Attempts(self.settings, call.request, call.read, call.timeout)
        while True:
            left = attempts.begin()
            try:
                return attempts.answered(*self._exchange(attempts, left))
            except httpx.TimeoutException:
                raise attempts.timed_out() from None
            except httpx.HTTPError as error:
                delay = attempts.wait_after(attempts.broken(error))
            except VitaeError as error:
                delay = attempts.wait_after(error)
            time.sleep(delay)

    def _exchange(self, attempts: Attempts[Any], left: float) -> Tuple[int, Headers, bytes]:
        sent = attempts.request
        ends_at = self.settings.now() + left
        headers = self.settings.headers(sent)
        parts: List[bytes] = []
        with self.http.stream(sent.method, attempts.url, content=sent.body, headers=headers, timeout=left) as response:
            for part in response.iter_bytes():
                parts.append(part)
                # Also ends a response that arrives very slowly.
                if self.settings.now() > ends_at:
                    raise attempts.timed_out()
            return response.status_code, response.headers, b"".join(parts)


class Resource:
    """The base class of a group of calls."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender


def _method(make: Callable[P, Call[Result]]) -> Callable[Concatenate[Resource, P], Result]:
    @functools.wraps(make)
    def method(self: Resource, /, *args: P.args, **options: P.kwargs) -> Result:
        return self._sender.run(make(*args, **options))

    return method


def _preflight(make: Callable[P, Call[Any]]) -> Callable[Concatenate[Resource, P], Preflight]:
    @functools.wraps(calls.preflight)
    def method(self: Resource, /, *args: P.args, **options: P.kwargs) -> Preflight:
        return self._sender.run(calls.preflight(make(*args, **options)))

    return method


class People(Resource):
    """Lookups of people."""

    profile = _method(calls.profile)
    preflight = _preflight(calls.profile)
    history = _method(calls.profile_history)
    provenance = _method(calls.profile_provenance)
    match = _method(calls.match_person)


class Companies(Resource):
    """Lookups of companies."""

    details = _method(calls.details)
    preflight = _preflight(calls.details)
    history = _method(calls.company_history)
    provenance = _method(calls.company_provenance)
    match = _method(calls.match_company)
    resolve = _method(calls.resolve)


class Watches(Resource):
    """Records that the service refreshes regularly."""

    create = _method(calls.create_watch)
    list = _method(calls.list_watches)
    delete = _method(calls.delete_watch)


class Batches(Resource):
    """Lists of lookups in the background. Each batch has its own ``max_credits``."""

    create = _method(calls.create_batch)
    preview = _method(calls.preview_batch)
    get = _method(calls.get_batch)
    list = _method(calls.list_batches)
    cancel = _method(calls.cancel_batch)
    resume = _method(calls.resume_batch)

    def wait(
        self,
        batch_id: str,
        *,
        on_progress: Optional[Callable[[Batch], object]] = None,
        poll_seconds: float = 1.0,
    ) -> Batch:
        """Returns when the batch has ended, or is paused until ``resume`` raises its limit. It waits through other
        pauses."""
        while True:
            batch = self._sender.run(calls.get_batch(batch_id))
            if on_progress is not None:
                on_progress(batch)
            if calls.is_settled(batch):
                return batch
            time.sleep(calls.poll_seconds(batch, poll_seconds))

    def results(self, batch_id: str, *, after: int = 0) -> Iterator[BatchResultRow]:
        """The finished rows in input order. After a broken connection it continues after the last row."""
        attempts = self._reading(batch_id, after)
        while True:
            try:
                for row in self._rows(attempts):
                    after = row["row"]
                    # Every received row resets the count of retries.
                    attempts = self._reading(batch_id, after)
                    yield row
                return
            except httpx.HTTPError as error:
                delay = attempts.wait_after(attempts.broken(error))
            except VitaeError as error:
                delay = attempts.wait_after(error)
            time.sleep(delay)

    def _reading(self, batch_id: str, after: int) -> Attempts[Any]:
        return Attempts(self._sender.settings, calls.batch_rows(batch_id, after), calls.no_result, None)

    def _rows(self, attempts: Attempts[Any]) -> Iterator[BatchResultRow]:
        sender, left = self._sender, attempts.begin()
        headers = sender.settings.headers(attempts.request)
        with sender.http.stream("GET", attempts.url, headers=headers, timeout=left) as response:
            if response.status_code != 200:
                attempts.answered(response.status_code, response.headers, response.read())
            for line in response.iter_lines():
                if line.strip():
                    yield json.loads(line)


class EventStream:
    """The events of an environment, in order."""

    def __init__(
        self, sender: Sender, after: Optional[str], types: Optional[Sequence[str]], follow: bool, every_seconds: float
    ) -> None:
        self._sender = sender
        self._types = types
        self._follow = follow
        self._every_seconds = every_seconds
        #: The position after the last page whose events were all consumed. A stream opened with it repeats a few events
        #: at most, and misses none.
        self.cursor = after

    def __iter__(self) -> Iterator[VitaeEvent]:
        while True:
            page = self._sender.run(calls.events(self.cursor, self._types))
            yield from page["events"]
            self.cursor = page["next"]
            if page["events"]:
                continue
            if not self._follow:
                return
            time.sleep(self._every_seconds)


class VitaeClient:
    """A client of one Vitae service with one key. Share one for all calls and threads, and close it at the end.

    ``api_key`` and ``base_url`` default to ``VITAE_API_KEY`` and ``VITAE_URL``. ``timeout`` is the longest time of one
    call in seconds, with its retries and waits. ``max_credits`` is the maximum that all calls of this client may spend
    together. ``http`` is your own ``httpx.Client``, for a proxy or certificates.
    """

    def __init__(
        self,
        api_key: Optional[str] = None,
        base_url: Optional[str] = None,
        *,
        timeout: float = 90.0,
        max_retries: int = 3,
        spend_tag: Optional[str] = None,
        max_credits: Optional[int] = None,
        on_request: Optional[Hook] = None,
        on_response: Optional[Hook] = None,
        on_retry: Optional[Hook] = None,
        http: Optional[httpx.Client] = None,
    ) -> None:
        settings = read_settings(api_key, base_url, timeout, max_retries, spend_tag, on_request, on_response, on_retry)
        # A followed redirect would send the key to another host.
        self._http = http or httpx.Client(follow_redirects=False)
        self._sender = Sender(settings, self._http, None if max_credits is None else CreditLimit(max_credits))
        self.people = People(self._sender)
        self.companies = Companies(self._sender)
        self.batches = Batches(self._sender)
        self.watches = Watches(self._sender)

    def account(self, *, timeout: Optional[float] = None) -> Account:
        """The permissions of the key, the remaining credits, and the prices. Free."""
        return self._sender.run(calls.account(timeout=timeout))

    def usage(
        self,
        *,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        by: Optional[Sequence[str]] = None,
        timeout: Optional[float] = None,
    ) -> Usage:
        """Calls and credits of all keys of the environment, by ``day``, ``tag`` or ``endpoint``. Free."""
        return self._sender.run(calls.usage(from_=from_, to=to, by=by, timeout=timeout))

    def statement(self, *, month: Optional[str] = None, timeout: Optional[float] = None) -> Statement:
        """Balances, grants and charges of a month such as ``2026-10``. Default: the current month. Free."""
        return self._sender.run(calls.statement(month=month, timeout=timeout))

    def record_changes(
        self,
        *,
        after: Optional[str] = None,
        kind: Optional[Kind] = None,
        limit: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> RecordChanges:
        """A page of changes to record keys that you hold. Continue with its ``next`` as ``after``. Free."""
        return self._sender.run(calls.record_changes(after=after, kind=kind, limit=limit, timeout=timeout))

    def receipt(self, request_id: str, *, timeout: Optional[float] = None) -> Receipt:
        """The cost of one call and the reason, by the ``request_id`` of its answer. Free."""
        return self._sender.run(calls.receipt(request_id, timeout=timeout))

    def events(
        self,
        *,
        after: Optional[str] = None,
        types: Optional[Sequence[str]] = None,
        follow: bool = False,
        every_seconds: float = 5.0,
    ) -> EventStream:
        """The events of the environment, in order. Store the stream's ``cursor`` to continue later."""
        return EventStream(self._sender, after, types, follow, every_seconds)

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: object, trace: object) -> None:
        self.close()
