"""The exceptions of a call. The classes for single failures are generated into ``_failures``."""
from __future__ import annotations

from typing import List, NamedTuple, Optional, Type

from ._answer import Credits, RateLimit


class ParameterError(NamedTuple):
    """An invalid parameter of a 400."""

    parameter: str
    detail: str


class VitaeError(Exception):
    """The base class of everything that a call raises, except a ValueError or TypeError for an invalid argument. Never
    contains the API key."""

    def __init__(
        self,
        code: str,
        detail: str,
        *,
        retryable: bool = False,
        idempotency_key: str = "",
        status: Optional[int] = None,
        request_id: Optional[str] = None,
        errors: Optional[List[ParameterError]] = None,
        ignored_parameters: Optional[List[str]] = None,
        retry_after_seconds: Optional[int] = None,
        rate_limit: Optional[RateLimit] = None,
        credits: Optional[Credits] = None,
    ) -> None:
        known = (("status", status), ("request", request_id))
        where = ", ".join(f"{name} {value}" for name, value in known if value)
        super().__init__(f"{code}: {detail}" + (f" ({where})" if where else ""))
        self.code = code
        self.detail = detail
        #: Whether the same call may succeed later. The client has already used its retries.
        self.retryable = retryable
        #: Pass it to a later call for the same record, and that call is not billed again.
        self.idempotency_key = idempotency_key
        #: The HTTP status, or None without a response.
        self.status = status
        self.request_id = request_id
        self.errors = errors or []
        self.ignored_parameters = ignored_parameters or []
        self.retry_after_seconds = retry_after_seconds
        self.rate_limit = rate_limit
        self.credits = credits


class VitaeAuthenticationError(VitaeError):
    """401: the key is missing, unknown, revoked or expired."""


class VitaePaymentError(VitaeError):
    """402: no credits left, or the key's ceiling is reached."""


class VitaePermissionError(VitaeError):
    """403: the key is valid but not allowed to do this."""


class VitaeThrottledError(VitaeError):
    """429: too many calls at the moment."""


class VitaeRequestError(VitaeError):
    """Any other 4xx: this request will not succeed without a change."""


class VitaeServerError(VitaeError):
    """Any 5xx."""


class VitaeUnusableAnswerError(VitaeError):
    """The response does not come from a Vitae service: a redirect, a proxy's error page, a record without
    provenance."""


class VitaeMaxCreditsError(VitaeError):
    """The call could exceed the client's ``max_credits``. Nothing was sent."""


class VitaeConnectionError(VitaeError):
    """No response: the connection was refused, reset or interrupted."""


class VitaeTimeoutError(VitaeError):
    """The call with its retries took longer than ``timeout``. ``__cause__`` is the last failure before that, if any."""


def family_of(status: int) -> Type[VitaeError]:
    """The class for an unknown code, by its status."""
    special = {401: VitaeAuthenticationError, 402: VitaePaymentError, 403: VitaePermissionError, 429: VitaeThrottledError}
    if status in special:
        return special[status]
    if status >= 500:
        return VitaeServerError
    return VitaeRequestError if status >= 400 else VitaeUnusableAnswerError
