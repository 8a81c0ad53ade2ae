"""Client of a Vitae lookup service: ``VitaeClient`` and, for asyncio and trio, ``AsyncVitaeClient``."""
from typing import TYPE_CHECKING

from . import _contract as contract
from . import _errors, _failures
from ._answer import Answer, Credits, FilledFrom, MatchAnswer, RateLimit, ResolvedCompanies
from ._async_client import AsyncEventStream, AsyncVitaeClient
from ._client import EventStream, VitaeClient
from ._contract import Account, Batch, BatchResultRow, Company, DataSource, Person, Preflight, VitaeEvent, Watch
from ._errors import *  # noqa: F403
from ._failures import *  # noqa: F403
from ._version import VERSION as __version__
from .webhooks import WebhookEvent, WebhookVerificationError, verify_webhook


if TYPE_CHECKING:
    from .enrichment import EnrichmentStopped, enrich


def __getattr__(name: str) -> object:
    # Imports pandas only here, because nothing else needs it.
    if name in ("enrich", "EnrichmentStopped"):
        from . import enrichment

        return getattr(enrichment, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


_error_names = [name for module in (_errors, _failures) for name in dir(module) if name.startswith("Vitae")]

__all__ = [
    "Account",
    "Answer",
    "AsyncEventStream",
    "AsyncVitaeClient",
    "Batch",
    "BatchResultRow",
    "Company",
    "Credits",
    "DataSource",
    "EnrichmentStopped",
    "EventStream",
    "FilledFrom",
    "MatchAnswer",
    "Person",
    "Preflight",
    "RateLimit",
    "ResolvedCompanies",
    "VitaeClient",
    "VitaeEvent",
    "Watch",
    "WebhookEvent",
    "WebhookVerificationError",
    "__version__",
    "contract",
    "enrich",
    "verify_webhook",
]
__all__ += [name for name in _error_names if name not in __all__]
