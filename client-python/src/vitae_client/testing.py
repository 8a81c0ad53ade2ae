"""A client on a test key, for the tests of programs that use Vitae.

Test keys cost nothing and answer every identifier with a fictional record, always the same one. Some identifiers play a
failure, such as ``sample-not-found``. With pytest::

    from vitae_client.testing import vitae_client  # a fixture; needs VITAE_URL and VITAE_TEST_API_KEY

    def test_a_missing_person_is_skipped(vitae_client):
        assert import_person(vitae_client, "sample-not-found") is None
"""
from __future__ import annotations

import os
from contextlib import contextmanager
from typing import Any, Iterator

from ._client import VitaeClient

#: Identifiers that play a situation at both endpoints.
SAMPLE_NOT_FOUND = "sample-not-found"
SAMPLE_OUT_OF_CREDITS = "sample-out-of-credits"
SAMPLE_CEILING_REACHED = "sample-ceiling-reached"
SAMPLE_FORBIDDEN = "sample-forbidden"
SAMPLE_RATE_LIMITED = "sample-rate-limited"
SAMPLE_UPSTREAM_DOWN = "sample-upstream-down"
SAMPLE_STORED = "sample-stored"
SAMPLE_STALE = "sample-stale"
SAMPLE_SPARSE = "sample-sparse"
SAMPLE_COMPLETE = "sample-complete"


@contextmanager
def test_client(**options: Any) -> Iterator[VitaeClient]:
    """A client that refuses live keys, and by default does not retry."""
    key = options.pop("api_key", None) or os.environ.get("VITAE_TEST_API_KEY", "")
    if not key.startswith("vt_test_"):
        raise ValueError("VITAE_TEST_API_KEY must hold a test key (vt_test_...): tests must not spend credits")
    options.setdefault("max_retries", 0)
    with VitaeClient(key, **options) as client:
        yield client


# Tells pytest that this is not a test, despite its name.
test_client.__test__ = False  # type: ignore[attr-defined]

try:
    import pytest
except ImportError:
    pass
else:

    @pytest.fixture
    def vitae_client() -> Iterator[VitaeClient]:
        """A client on the test key in ``VITAE_TEST_API_KEY``."""
        with test_client() as client:
            yield client
