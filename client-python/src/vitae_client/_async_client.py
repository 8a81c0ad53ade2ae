"""The asynchronous client, for asyncio and trio."""
from __future__ import annotations

import functools
import json
from typing import (
    Any,
    AsyncIterator,
    Callable,
    Concatenate,
    Coroutine,
    Optional,
    ParamSpec,
    Sequence,
    Tuple,
    Type,
    TypeVar,
    cast,
)

import anyio
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
Self = TypeVar("Self", bound="AsyncVitaeClient")


class AsyncSender:
    """Sends calls and their retries, within the client's credit limit."""

    def __init__(self, settings: Settings, http: httpx.AsyncClient, limit: Optional[CreditLimit]) -> None:
        self.settings = settings
        self.http = http
        self.limit = limit

    async def run(self, call: Call[Result]) -> Result:
        """Returns the result of a call, or raises its failure."""
        if self.limit is None or call.priced_as is None:
            return await self._send(call)
        account = self.limit.account(self.settings.now())
        if account is None:
            account = await self._fresh_account(call.timeout)
            self.limit.learn(account, self.settings.now())
        reserved = self.limit.reserve(account, call.priced_as, call.request.idempotency_key)
        try:
            result = await self._send(call)
        except VitaeError as error:
            self.limit.failed(reserved, error)
            raise
        self.limit.settle(reserved, cast(Any, result).credits.charged or 0)
        return result

    async def _fresh_account(self, timeout: Optional[float]) -> Account:
        return await self._send(calls.account(timeout=timeout))

    async def _send(self, call: Call[Result]) -> Result:
        attempts = Attempts(self.settings, call.request, call.read, call.timeout)
        while True:
            left = attempts.begin()
            try:
                with anyio.fail_after(left):
                    status, headers, body = await self._exchange(attempts, left)
                return attempts.answered(status, headers, body)
            except (TimeoutError, httpx.TimeoutException):
                raise attempts.timed_out() from None
            except httpx.HTTPError as error:
                delay = attempts.wait_after(attempts.broken(error))
            except VitaeError as error:
                delay = attempts.wait_after(error)
            await anyio.sleep(delay)

    async def _exchange(self, attempts: Attempts[Any], left: float) -> Tuple[int, Headers, bytes]:
        sent = attempts.request
        headers = self.settings.headers(sent)
        response = await self.http.request(sent.method, attempts.url, content=sent.body, headers=headers, timeout=left)
        return response.status_code, response.headers, response.content


class AsyncResource:
    """The base class of a group of calls."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender


def _method(make: Callable[P, Call[Result]]) -> Callable[Concatenate[AsyncResource, P], Coroutine[Any, Any, Result]]:
    @functools.wraps(make)
    async def method(self: AsyncResource, /, *args: P.args, **options: P.kwargs) -> Result:
        return await self._sender.run(make(*args, **options))

    return method


def _preflight(make: Callable[P, Call[Any]]) -> Callable[Concatenate[AsyncResource, P], Coroutine[Any, Any, Preflight]]:
    @functools.wraps(calls.preflight)
    async def method(self: AsyncResource, /, *args: P.args, **options: P.kwargs) -> Preflight:
        return await self._sender.run(calls.preflight(make(*args, **options)))

    return method


class AsyncPeople(AsyncResource):
    """Lookups of people."""

    profile = _method(calls.profile)
    preflight = _preflight(calls.profile)
    history = _method(calls.profile_history)
    provenance = _method(calls.profile_provenance)
    match = _method(calls.match_person)


class AsyncCompanies(AsyncResource):
    """Lookups of companies."""

    details = _method(calls.details)
    preflight = _preflight(calls.details)
    history = _method(calls.company_history)
    provenance = _method(calls.company_provenance)
    match = _method(calls.match_company)
    resolve = _method(calls.resolve)


class AsyncWatches(AsyncResource):
    """Records that the service refreshes regularly."""

    create = _method(calls.create_watch)
    list = _method(calls.list_watches)
    delete = _method(calls.delete_watch)


class AsyncBatches(AsyncResource):
    """Lists of lookups in the background. Each batch has its own ``max_credits``."""

    create = _method(calls.create_batch)
    preview = _method(calls.preview_batch)
    get = _method(calls.get_batch)
    list = _method(calls.list_batches)
    cancel = _method(calls.cancel_batch)
    resume = _method(calls.resume_batch)

    async def wait(
        self,
        batch_id: str,
        *,
        on_progress: Optional[Callable[[Batch], object]] = None,
        poll_seconds: float = 1.0,
    ) -> Batch:
        """Returns when the batch has ended, or is paused until ``resume`` raises its limit. It waits through other
        pauses."""
        while True:
            batch = await self._sender.run(calls.get_batch(batch_id))
            if on_progress is not None:
                on_progress(batch)
            if calls.is_settled(batch):
                return batch
            await anyio.sleep(calls.poll_seconds(batch, poll_seconds))

    async def results(self, batch_id: str, *, after: int = 0) -> AsyncIterator[BatchResultRow]:
        """The finished rows in input order. After a broken connection it continues after the last row."""
        attempts = self._reading(batch_id, after)
        while True:
            try:
                async for row in self._rows(attempts):
                    after = row["row"]
                    # Every received row resets the count of retries.
                    attempts = self._reading(batch_id, after)
                    yield row
                return
            except httpx.HTTPError as error:
                delay = attempts.wait_after(attempts.broken(error))
            except VitaeError as error:
                delay = attempts.wait_after(error)
            await anyio.sleep(delay)

    def _reading(self, batch_id: str, after: int) -> Attempts[Any]:
        return Attempts(self._sender.settings, calls.batch_rows(batch_id, after), calls.no_result, None)

    async def _rows(self, attempts: Attempts[Any]) -> AsyncIterator[BatchResultRow]:
        sender, left = self._sender, attempts.begin()
        headers = sender.settings.headers(attempts.request)
        async with sender.http.stream("GET", attempts.url, headers=headers, timeout=left) as response:
            if response.status_code != 200:
                attempts.answered(response.status_code, response.headers, await response.aread())
            async for line in response.aiter_lines():
                if line.strip():
                    yield json.loads(line)


class AsyncEventStream:
    """The events of an environment, in order."""

    def __init__(
        self, sender: AsyncSender, after: Optional[str], types: Optional[Sequence[str]], follow: bool, every_seconds: float
    ) -> None:
        self._sender = sender
        self._types = types
        self._follow = follow
        self._every_seconds = every_seconds
        #: The position to continue from, as in ``EventStream``.
        self.cursor = after

    async def __aiter__(self) -> AsyncIterator[VitaeEvent]:
        while True:
            page = await self._sender.run(calls.events(self.cursor, self._types))
            for event in page["events"]:
                yield event
            self.cursor = page["next"]
            if page["events"]:
                continue
            if not self._follow:
                return
            await anyio.sleep(self._every_seconds)


class AsyncVitaeClient:
    """Like ``VitaeClient``, with awaitable methods."""

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
        http: Optional[httpx.AsyncClient] = None,
    ) -> None:
        settings = read_settings(api_key, base_url, timeout, max_retries, spend_tag, on_request, on_response, on_retry)
        # A followed redirect would send the key to another host.
        self._http = http or httpx.AsyncClient(follow_redirects=False)
        self._sender = AsyncSender(settings, self._http, None if max_credits is None else CreditLimit(max_credits))
        self.people = AsyncPeople(self._sender)
        self.companies = AsyncCompanies(self._sender)
        self.batches = AsyncBatches(self._sender)
        self.watches = AsyncWatches(self._sender)

    async def account(self, *, timeout: Optional[float] = None) -> Account:
        """The permissions of the key, the remaining credits, and the prices. Free."""
        return await self._sender.run(calls.account(timeout=timeout))

    async def usage(
        self,
        *,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        by: Optional[Sequence[str]] = None,
        timeout: Optional[float] = None,
    ) -> Usage:
        """Calls and credits of all keys of the environment, by ``day``, ``tag`` or ``endpoint``. Free."""
        return await self._sender.run(calls.usage(from_=from_, to=to, by=by, timeout=timeout))

    async def statement(self, *, month: Optional[str] = None, timeout: Optional[float] = None) -> Statement:
        """Balances, grants and charges of a month such as ``2026-10``. Default: the current month. Free."""
        return await self._sender.run(calls.statement(month=month, timeout=timeout))

    async def record_changes(
        self,
        *,
        after: Optional[str] = None,
        kind: Optional[Kind] = None,
        limit: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> RecordChanges:
        """A page of changes to record keys that you hold. Continue with its ``next`` as ``after``. Free."""
        return await self._sender.run(calls.record_changes(after=after, kind=kind, limit=limit, timeout=timeout))

    async def receipt(self, request_id: str, *, timeout: Optional[float] = None) -> Receipt:
        """The cost of one call and the reason, by the ``request_id`` of its answer. Free."""
        return await self._sender.run(calls.receipt(request_id, timeout=timeout))

    def events(
        self,
        *,
        after: Optional[str] = None,
        types: Optional[Sequence[str]] = None,
        follow: bool = False,
        every_seconds: float = 5.0,
    ) -> AsyncEventStream:
        """The events of the environment, in order. Store the stream's ``cursor`` to continue later."""
        return AsyncEventStream(self._sender, after, types, follow, every_seconds)

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def __aenter__(self: Self) -> Self:
        return self

    async def __aexit__(self, kind: Optional[Type[BaseException]], error: object, trace: object) -> None:
        await self.close()
