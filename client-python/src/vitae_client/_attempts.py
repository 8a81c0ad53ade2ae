"""One logical call without I/O: attempts under one Idempotency-Key, until one succeeds or no retry is allowed.

The two clients differ only in how they send and how they wait.
"""
from __future__ import annotations

import contextlib
import re
from datetime import datetime, timezone
from typing import Any, Callable, Dict, Generic, List, Optional, TypeVar

from ._answer import Headers, parse_object, read_credits, read_ignored, read_rate_limit, read_retry_after
from ._errors import (
    ParameterError,
    VitaeConnectionError,
    VitaeError,
    VitaeTimeoutError,
    VitaeUnusableAnswerError,
    family_of,
)
from ._failures import FAILURES
from ._request import ApiRequest
from ._settings import Hook, Settings, check_timeout

Result = TypeVar("Result")
#: Reads a successful response, or returns None if it is not the expected one.
Read = Callable[[Headers, bytes], Optional[Result]]

FIRST_WAIT = 0.5
LONGEST_WAIT = 8.0


def retry_delay(error: VitaeError, attempt: int, max_retries: int, left: float, chance: float) -> Optional[float]:
    """The wait before the next attempt, or None if there must be none.

    The wait is never shorter than ``Retry-After``, plus a little jitter so that callers do not return all at once. A
    wait that would outlast the call is skipped.
    """
    if not error.retryable or attempt > max_retries:
        return None
    asked = error.retry_after_seconds
    if asked is None:
        delay = chance * min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** min(attempt - 1, 30))
    else:
        delay = asked + chance * min(1.0, asked / 10 + 0.05)
    return delay if delay < left else None


class Attempts(Generic[Result]):
    """The state of one call between its attempts."""

    def __init__(self, settings: Settings, request: ApiRequest, read: Read[Result], timeout: Optional[float]) -> None:
        self.settings = settings
        self.request = request
        self.url = settings.base_url + request.path
        self.timeout = settings.timeout if timeout is None else check_timeout(timeout)
        self._read = read
        self._ends_at = settings.now() + self.timeout
        self._attempt = 0
        self._began = 0.0
        self._last: Optional[VitaeError] = None

    def begin(self) -> float:
        """Starts an attempt, and returns its remaining time."""
        left = self._ends_at - self.settings.now()
        if left <= 0:
            raise self.timed_out()
        self._attempt += 1
        self._began = self.settings.now()
        self._notify(self.settings.on_request, {})
        return left

    def answered(self, status: int, headers: Headers, body: bytes) -> Result:
        """Returns the result, or raises the failure in the response."""
        request_id = headers.get("x-request-id")
        took = self.settings.now() - self._began
        self._notify(self.settings.on_response, {"status": status, "request_id": request_id, "seconds": took})
        if not 200 <= status < 300:
            raise self._failure(status, headers, body)
        result = self._read(headers, body)
        if result is None:
            detail = "the response is not from a Vitae service; check base_url"
            raise VitaeUnusableAnswerError("unusable_answer", detail, status=status, idempotency_key=self.request.idempotency_key)
        return result

    def broken(self, error: Exception) -> VitaeError:
        """The error of a failed connection. The original error is dropped, because it may contain the request's
        headers."""
        detail = self.settings.redact(str(error) or type(error).__name__)
        key = self.request.idempotency_key
        return VitaeConnectionError("connection_failed", detail, retryable=True, idempotency_key=key)

    def wait_after(self, error: VitaeError) -> float:
        """The wait before the next attempt; raises the failure if no retry is allowed."""
        left = self._ends_at - self.settings.now()
        delay = retry_delay(error, self._attempt, self.settings.max_retries, left, self.settings.chance())
        if delay is None:
            raise error
        self._last = error
        self._notify(self.settings.on_retry, {"error": error, "delay_seconds": delay})
        return delay

    def timed_out(self) -> VitaeTimeoutError:
        """The error of a call that reached its time limit."""
        key = self.request.idempotency_key
        error = VitaeTimeoutError("timed_out", f"no answer within {self.timeout:g} s", retryable=True, idempotency_key=key)
        error.__cause__ = self._last
        return error

    def _failure(self, status: int, headers: Headers, body: bytes) -> VitaeError:
        problem = parse_object(body) or {}
        code = _read_code(problem.get("code")) or _read_code(body[:200].decode("utf-8", "replace").strip()) or f"http_{status}"
        known = FAILURES.get(code)
        if known is not None and known.status != status:
            known = None
        detail = problem.get("detail")
        if not isinstance(detail, str):
            detail = known.title if known else _explain(status)
        redact = self.settings.redact
        return (known.error if known else family_of(status))(
            code,
            redact(detail),
            retryable=known.retryable if known else status in (408, 429) or status >= 500,
            idempotency_key=self.request.idempotency_key,
            status=status,
            request_id=headers.get("x-request-id"),
            errors=_parameter_errors(problem.get("errors"), redact),
            ignored_parameters=read_ignored(headers),
            retry_after_seconds=read_retry_after(headers, datetime.now(timezone.utc)),
            rate_limit=read_rate_limit(headers),
            credits=read_credits(headers),
        )

    def _notify(self, hook: Optional[Hook], facts: Dict[str, Any]) -> None:
        if hook is None:
            return
        event = {"attempt": self._attempt, "url": self.url, "idempotency_key": self.request.idempotency_key, **facts}
        # A failing hook must not lose an answer that is already paid for.
        with contextlib.suppress(Exception):
            hook(event)


def _read_code(code: object) -> Optional[str]:
    return code if isinstance(code, str) and re.fullmatch(r"[a-z][a-z0-9_]{0,63}", code) else None


def _explain(status: int) -> str:
    return "redirects are not followed, because they would forward the key" if 300 <= status < 400 else "no reason was given"


def _parameter_errors(errors: object, redact: Callable[[str], str]) -> List[ParameterError]:
    found = [error for error in errors if isinstance(error, dict)] if isinstance(errors, list) else []
    texts = [(error.get("parameter"), error.get("detail")) for error in found]
    return [ParameterError(redact(p), redact(d)) for p, d in texts if isinstance(p, str) and isinstance(d, str)]
