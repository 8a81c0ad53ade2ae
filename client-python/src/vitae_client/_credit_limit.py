"""Keeps a client within ``max_credits``."""
from __future__ import annotations

import threading
from typing import Literal, Optional

from ._contract import Account
from ._errors import VitaeError, VitaeMaxCreditsError
from ._failures import FAILURES

#: What has a highest price of its own.
Route = Literal["people", "companies", "resolve", "match"]

#: Prices are configuration of the service, which may be started again while a client lives.
PRICES_GOOD_FOR = 60.0


class CreditLimit:
    """The highest price of a call is set aside before it is made, so calls at the same time cannot pass the limit together.

    Where nobody knows whether a call was billed, it counts as billed.
    """

    def __init__(self, most: int) -> None:
        if isinstance(most, bool) or not isinstance(most, int) or most < 0:
            raise ValueError("max_credits must be a whole number from 0")
        self.most = most
        self._taken = 0
        self._account: Optional[Account] = None
        self._read_at = 0.0
        self._lock = threading.Lock()

    def account(self, now: float) -> Optional[Account]:
        """What is known of the prices, where it is new enough."""
        return self._account if now - self._read_at < PRICES_GOOD_FOR else None

    def learn(self, account: Account, now: float) -> None:
        """Keeps the prices that the service told."""
        self._account, self._read_at = account, now

    def reserve(self, account: Account, route: Route, idempotency_key: str) -> int:
        """Sets the highest price of a call aside, or refuses the call before anything is sent."""
        price = account["prices"]["highest"][route]
        with self._lock:
            left = self.most - self._taken
            if price > left:
                detail = f"the call may cost {price}, and {left} of max_credits {self.most} are left"
                raise VitaeMaxCreditsError("max_credits_reached", detail, idempotency_key=idempotency_key)
            self._taken += price
        return price

    def settle(self, reserved: int, charged: int) -> None:
        """Replaces what was set aside by what the call cost."""
        with self._lock:
            self._taken += charged - reserved

    def failed(self, reserved: int, error: VitaeError) -> None:
        """A failure that the service answered with costs nothing; without an answer nobody knows."""
        if error.status is not None and error.code in FAILURES:
            self.settle(reserved, 0)
