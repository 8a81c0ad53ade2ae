"""What a call can raise. The classes for single failures are generated into ``_failures``."""
from __future__ import annotations

from typing import List, NamedTuple, Optional, Type

from ._answer import Credits, RateLimit


class ParameterError(NamedTuple):
    """A wrong parameter of a 400."""

    parameter: str
    detail: str


class VitaeError(Exception):
    """Everything that a call raises, except a ValueError or TypeError for an argument that cannot be sent. Never holds the API key."""

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
        #: Whether the same call may succeed later. The client has then already retried as often as it may.
        self.retryable = retryable
        #: Give it to a later call for the same record, and that call is not billed a second time.
        self.idempotency_key = idempotency_key
        #: The HTTP status, or None where no answer came.
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
    """402: no credits, or no more of them for this key for now."""


class VitaePermissionError(VitaeError):
    """403: the key is known but may not do this."""


class VitaeThrottledError(VitaeError):
    """429: too many calls for now."""


class VitaeRequestError(VitaeError):
    """Any other 4xx: this request will not succeed as it is."""


class VitaeServerError(VitaeError):
    """Any 5xx."""


class VitaeUnusableAnswerError(VitaeError):
    """The answer is not one of a Vitae service: a redirect, a page of a proxy, a record without its provenance."""


class VitaeMaxCreditsError(VitaeError):
    """The call could pass the client's ``max_credits``. Nothing was sent."""


class VitaeConnectionError(VitaeError):
    """No answer came: the connection was refused, reset or broken off."""


class VitaeTimeoutError(VitaeError):
    """The call, its retries included, took longer than ``timeout``. ``__cause__`` is the last failure before, if any."""


def family_of(status: int) -> Type[VitaeError]:
    """The class for a failure whose code is not known here, by its status alone."""
    special = {401: VitaeAuthenticationError, 402: VitaePaymentError, 403: VitaePermissionError, 429: VitaeThrottledError}
    if status in special:
        return special[status]
    if status >= 500:
        return VitaeServerError
    return VitaeRequestError if status >= 400 else VitaeUnusableAnswerError
