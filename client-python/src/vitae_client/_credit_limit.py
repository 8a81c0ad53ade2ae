"""Keeps a client within ``max_credits``."""
from __future__ import annotations

import threading
from typing import Literal, Optional

from ._contract import Account
from ._errors import VitaeError, VitaeMaxCreditsError
from ._failures import FAILURES

#: The routes that have their own highest price.
Route = Literal["people", "companies", "resolve", "match"]

#: Prices may change when the service restarts during the life of a client.
PRICES_GOOD_FOR = 60.0


class CreditLimit:
    """Reserves the highest price of a call before the call, so parallel calls cannot exceed the limit together.

    A call with an unknown outcome counts as billed.
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
        """The known prices, if they are recent enough."""
        return self._account if now - self._read_at < PRICES_GOOD_FOR else None

    def learn(self, account: Account, now: float) -> None:
        """Stores the prices that the service reported."""
        self._account, self._read_at = account, now

    def reserve(self, account: Account, route: Route, idempotency_key: str) -> int:
        """Reserves the highest price of a call, or refuses the call before sending anything."""
        price = account["prices"]["highest"][route]
        with self._lock:
            left = self.most - self._taken
            if price > left:
                detail = f"the call may cost {price}, and {left} of max_credits {self.most} are left"
                raise VitaeMaxCreditsError("max_credits_reached", detail, idempotency_key=idempotency_key)
            self._taken += price
        return price

    def settle(self, reserved: int, charged: int) -> None:
        """Replaces the reservation with the cost of the call."""
        with self._lock:
            self._taken += charged - reserved

    def failed(self, reserved: int, error: VitaeError) -> None:
        """A failure that the service reported costs nothing. Without a response the outcome is unknown."""
        if error.status is not None and error.code in FAILURES:
            self.settle(reserved, 0)
