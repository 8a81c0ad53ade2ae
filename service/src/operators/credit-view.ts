import type { AdminAnswer } from '@vitae/contract/admin'
import type { HistoryEntry } from '../credits/reports/history.ts'
import type { PriceLists } from '../credits/prices/price-book.ts'
import { readNote, receiptLines } from '../credits/prices/price-note.ts'
import type { Receipt as ReceiptFacts } from '../credits/reports/receipt.ts'
import { isoTime } from '../foundation/clock.ts'

/** A ledger entry as operators see it. */
export function entryView(entry: HistoryEntry): AdminAnswer<'creditHistory'>['entries'][number] {
  const { keyId, requestId, reason, actor, change, balance } = entry
  return { ...briefEntry(entry), key_id: keyId, request_id: requestId, reason, actor, change, balance }
}

/** The same without whom it belongs to, for the receipt of one call. */
export function briefEntry({ id, at, kind, amount, heldAmount, month }: ReceiptFacts['entries'][number]) {
  return { id, at: isoTime(at), kind, amount, held_amount: heldAmount, month }
}

/** What a call cost, whom it was about, and which version of which fetch it was answered with. */
export function receiptView(receipt: ReceiptFacts, lists: PriceLists | null): AdminAnswer<'showReceipt'> {
  const { requestId, project, environment, key, call, entries, hold } = receipt
  const note = call?.replayOf === null ? readNote(call.price) : null
  return {
    request_id: requestId,
    project,
    environment,
    key,
    at: call && isoTime(call.at),
    mode: call && call.mode,
    endpoint: call && call.kind,
    status: call && call.status,
    code: call && call.code,
    source: call && call.source,
    credits: call && call.credits,
    entity: call && call.entityKey,
    version_id: call && call.versionId,
    fetch_id: call && call.fetchId,
    replay_of: call && call.replayOf,
    duration_ms: call && call.durationMs,
    tag: call && call.tag,
    price: call && call.price,
    price_lines: note ? receiptLines(note, lists) : [],
    entries: entries.map(briefEntry),
    hold: hold && { amount: hold.amount, placed_at: isoTime(hold.placedAt), expires_at: isoTime(hold.expiresAt) },
  }
}
