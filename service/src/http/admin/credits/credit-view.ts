import Type, { type Static } from 'typebox'
import type { HistoryEntry } from '../../../credits/reports/history.ts'
import type { PriceLists } from '../../../credits/prices/price-book.ts'
import { readNote, receiptLines } from '../../../credits/prices/price-note.ts'
import type { Receipt as ReceiptFacts } from '../../../credits/reports/receipt.ts'
import { Count, KindName, orNull, Time } from '../schemas.ts'
import { isoTime } from '../../../foundation/clock.ts'

export const entryKind = Type.Enum(['grant', 'hold', 'capture', 'release', 'charge', 'adjustment'])

export const Balance = Type.Object({
  balance: Type.Integer({ description: 'Granted minus spent.' }),
  held: Count,
  available: Type.Integer({ description: 'What a call may still spend.' }),
  monthly_budget: Type.Optional(
    Type.Integer({ description: 'What all keys together may spend in a UTC month, where there is a budget.' }),
  ),
  spent_this_month: Type.Optional(Type.Integer({ description: 'Spent and held of the budget.' })),
  recurring_credits: Type.Optional(
    Type.Integer({ description: 'Granted on the 1st of each UTC month, where that is set.' }),
  ),
  recurring_carry_over: Type.Optional(
    Type.Boolean({ description: 'Whether what is not spent stays for the next month.' }),
  ),
})

const entry = {
  id: Type.Integer(),
  at: Time,
  kind: entryKind,
  amount: Type.Integer(),
  held_amount: orNull(Type.Integer({ description: 'Of a capture: the hold that ended with it.' })),
  month: orNull(Type.String()),
}
export const LedgerEntry = Type.Object(entry)
export const Entry = Type.Object({
  ...entry,
  key_id: orNull(Type.String()),
  request_id: orNull(Type.String()),
  reason: orNull(Type.String()),
  actor: orNull(Type.String()),
  change: Type.Integer({ description: 'What it did to the balance: a hold and a release do nothing.' }),
  balance: orNull(Type.Integer({ description: 'The balance after it; null in a list that leaves entries out.' })),
})

export const LedgerReport = Type.Object({
  ok: Type.Boolean(),
  entries: Count,
  differences: Type.Array(
    Type.Object({ what: Type.String(), expected: orNull(Type.Number()), actual: orNull(Type.Number()) }),
  ),
})

/** Null while the call is still running: then only what it holds is known. */
const known = {
  at: orNull(Time),
  mode: orNull(Type.Enum(['live', 'test'])),
  endpoint: orNull(KindName),
  status: orNull(Type.Integer()),
  code: orNull(Type.String()),
  source: orNull(Type.String()),
  credits: orNull(Type.Integer()),
  entity: orNull(Type.String({ description: 'The member_urn or company_id; null after an erasure.' })),
  version_id: orNull(Type.Integer()),
  fetch_id: orNull(Type.Integer()),
  replay_of: orNull(Type.String({ description: 'The request that was paid for, when this one replayed it.' })),
  duration_ms: orNull(Type.Number()),
  tag: orNull(Type.String({ description: 'What the caller said it was for, X-Spend-Tag.' })),
  price: orNull(
    Type.String({
      description:
        'The price book and the lines that applied: `3 12:1 contact:2` is line 12 of book 3 for 1 credit, and 2 for the contact.',
    }),
  ),
  price_lines: Type.Array(Type.Object({ line: Type.String(), credits: Type.Integer() }), {
    description: 'The same in words. Empty where nothing was priced, and for a replay.',
  }),
}

export const Receipt = Type.Object({
  request_id: Type.String(),
  project: Type.String(),
  environment: Type.String(),
  key: Type.Object({ id: Type.String(), display: Type.String(), label: orNull(Type.String()) }),
  ...known,
  entries: Type.Array(LedgerEntry),
  hold: orNull(Type.Object({ amount: Type.Integer(), placed_at: Time, expires_at: Time })),
})

/** A ledger entry as operators see it. */
export function entryView(entry: HistoryEntry): Static<typeof Entry> {
  const { keyId, requestId, reason, actor, change, balance } = entry
  return { ...briefEntry(entry), key_id: keyId, request_id: requestId, reason, actor, change, balance }
}

/** The same without whom it belongs to, for the receipt of one call. */
export function briefEntry({ id, at, kind, amount, heldAmount, month }: ReceiptFacts['entries'][number]) {
  return { id, at: isoTime(at), kind, amount, held_amount: heldAmount, month }
}

/** What a call cost, whom it was about, and which version of which fetch it was answered with. */
export function receiptView(receipt: ReceiptFacts, lists: PriceLists | null): Static<typeof Receipt> {
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
