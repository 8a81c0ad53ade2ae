"""Looks up a column of a DataFrame in one batch: ``from vitae_client import enrich``."""
from __future__ import annotations

import hashlib
import json
import sys
from typing import Any, Callable, Dict, List, Optional, Sequence

import pandas

from ._calls import Kind
from ._client import VitaeClient
from ._contract import Batch, BatchResultRow

Progress = Callable[[Batch], object]


class EnrichmentStopped(Exception):
    """The batch stopped early. ``batch`` has the reason; ``frame`` contains the rows found so far."""

    def __init__(self, batch: Batch, frame: pandas.DataFrame) -> None:
        reason = batch["error"] or batch["pause_reason"] or batch["status"]
        super().__init__(f"batch {batch['id']} is {batch['status']}: {reason}")
        self.batch = batch
        self.frame = frame


def enrich(
    frame: pandas.DataFrame,
    column: str,
    *,
    client: VitaeClient,
    kind: Kind = "people",
    fields: Optional[Sequence[str]] = None,
    prefix: str = "",
    max_credits: Optional[int] = None,
    max_age_days: Optional[float] = None,
    spend_tag: Optional[str] = None,
    on_progress: Optional[Progress] = None,
    **options: bool,
) -> pandas.DataFrame:
    """Returns a copy of the frame with the found records in new columns.

    Each distinct id is looked up and paid once. The same call with the same ids continues the same batch, so repeat an
    interrupted call: nothing is paid twice. A higher ``max_credits`` continues a batch that has reached its limit.
    ``fields`` are dotted paths such as ``location.city`` or
    ``experience.0.company_name``, one column each. Without them the column ``record`` contains the whole record.
    Further columns: ``status``, ``source``, ``fetched_at``, ``error``. Cells without text are skipped. Raises
    ``EnrichmentStopped`` if the batch does not complete.
    """
    if column not in frame.columns:
        raise ValueError(f"the frame has no column {column!r}; it has {', '.join(map(str, frame.columns))}")
    texts = [_identifier(value) for value in frame[column]]
    ids = list(dict.fromkeys(text for text in texts if text is not None))
    rows: Dict[str, BatchResultRow] = {}
    stopped: Optional[Batch] = None
    if ids:
        settings: Dict[str, Any] = {"paths": fields, "max_credits": max_credits, "max_age_days": max_age_days, **options}
        key = _key(kind, ids, settings)
        batch_id = client.batches.create(kind, ids, idempotency_key=key, spend_tag=spend_tag, **settings)["id"]
        _take_up(client, batch_id, max_credits)
        batch = client.batches.wait(batch_id, on_progress=on_progress or _print_progress)
        rows = {ids[row["row"] - 1]: row for row in client.batches.results(batch_id)}
        stopped = None if batch["status"] == "completed" else batch
    result = frame.copy()
    found = [rows.get(text) if text is not None else None for text in texts]
    for name, values in _columns(found, fields).items():
        result[prefix + name] = pandas.Series(values, index=frame.index, dtype="object")
    if stopped is not None:
        raise EnrichmentStopped(stopped, result)
    return result


def _take_up(client: VitaeClient, batch_id: str, max_credits: Optional[int]) -> None:
    """Gives a batch of an earlier call the limit of this one, and ends its pause."""
    batch = client.batches.get(batch_id)
    paused = batch["status"] == "paused"
    if paused or (batch["status"] in ("queued", "running") and batch["max_credits"] != max_credits):
        client.batches.resume(batch_id, max_credits=max_credits)


def _identifier(value: Any) -> Optional[str]:
    if isinstance(value, float) and value.is_integer():
        # pandas reads a column of company numbers with gaps as floats.
        value = int(value)
    if value is None or value is pandas.NA or isinstance(value, float):
        return None
    return str(value).strip() or None


def _key(kind: str, ids: List[str], settings: Dict[str, Any]) -> str:
    """A key derived from the request, so that a repeated call is the same batch."""
    # A higher limit continues the same batch, so it is not part of the key.
    asked = {name: value for name, value in settings.items() if name != "max_credits"}
    text = json.dumps([kind, ids, asked], sort_keys=True, default=list)
    return "enrich-" + hashlib.sha256(text.encode()).hexdigest()


def _columns(found: List[Optional[BatchResultRow]], fields: Optional[Sequence[str]]) -> Dict[str, List[Any]]:
    columns: Dict[str, List[Any]] = {}
    for name in ("status", "source", "fetched_at", "error"):
        columns[name] = [None if row is None else row[name] for row in found]  # type: ignore[literal-required]
    records = [None if row is None else row["record"] for row in found]
    if fields is None:
        columns["record"] = records
    for path in fields or ():
        columns[path] = [_value(record, path) for record in records]
    return columns


def _value(record: Any, path: str) -> Any:
    if isinstance(record, dict) and path in record:
        return record[path]
    value = record
    for name in path.split("."):
        if isinstance(value, list):
            value = value[int(name)] if name.isdigit() and int(name) < len(value) else None
        else:
            value = value.get(name) if isinstance(value, dict) else None
    return value


def _print_progress(batch: Batch) -> None:
    counts = batch["counts"]
    done = batch["total"] - counts["waiting"]
    line = f"\r{done} of {batch['total']} looked up, {counts['found']} found, {batch['credits_spent']} credits spent"
    if sys.stderr.isatty():
        print(line, end="\n" if done == batch["total"] else "", file=sys.stderr, flush=True)
