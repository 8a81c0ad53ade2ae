import type { RecordStore } from '../records/operations.ts'
import type { CreditStore, PriceStore } from '../credits/operations.ts'
import { type DataSource, type Receipt, units } from '@vitae/contract'
import { type Caller, reachedBy } from '../accounts/caller.ts'
import type { PriceLists } from '../credits/prices/price-book.ts'
import { listsOf, type PriceBooks } from '../credits/prices/price-books.ts'
import { readNote, receiptLines, whyLess } from '../credits/prices/price-note.ts'
import type { Receipt as StoredReceipt } from '../credits/reports/receipt.ts'
import { isoTime } from '../foundation/clock.ts'
import type { Explanation } from '../records/call-details.ts'
import { callReason, withoutSuppression } from '../records/call-reason.ts'
import { fillsIn } from '../records/versions/fold-rows.ts'
import { filledUnit } from '../records/filling/plan-fills.ts'

interface Deps {
  store: {
    credits: Pick<CreditStore, 'receipt'>
    records: Pick<RecordStore, 'callDetails'>
    prices: Pick<PriceStore, 'priceBookHistory'>
  }
  prices: Pick<PriceBooks, 'variables'>
  /** Resolves once the call log contains every call answered so far. */
  callsWritten(): Promise<void>
}

/** Finds a receipt of the caller's environment. Calls of other environments are not found. */
export async function receiptFor(deps: Deps, caller: Caller, requestId: string): Promise<Receipt> {
  if (caller.mode === 'test' && requestId === sampleReceiptId) return sampleReceipt
  await deps.callsWritten()
  const found = await deps.store.credits.receipt({ requestId })
  const isOwn = found?.project === caller.project && found.environment === caller.environment
  const call = isOwn ? found.call : null
  const reached = reachedBy(caller, call && { ...call, parts: {} }, 'Your environment has no call with this id.')
  const { explanation } = await deps.store.records.callDetails({ requestId, entityId: null })
  const lists = await listsOf(deps, readNote(reached.price)?.book ?? 0)
  const receipt = receiptView(requestId, reached, found?.entries ?? [], explanation, lists)
  return { ...receipt, filled: filledUnits(reached, caller) }
}

const sampleReceiptId = 'sample-receipt'

/** A sample receipt for test keys. */
const sampleReceipt: Receipt = {
  request_id: sampleReceiptId,
  at: '2026-11-14T09:30:00.000Z',
  endpoint: 'people',
  status: 200,
  source: 'live',
  held: 1,
  charged: 1,
  price: { book: 0, lines: [{ line: 'line 3: people', credits: 1 }], less_than_held: [] },
  providers: [{ name: 'sample', outcome: 'found' }],
  filled: [],
  reason: 'Fetched from sample, because nothing is stored under this identifier.',
  spend_tag: 'sample-campaign',
}

/** The units that other fetches filled, as far as the key may see them. */
function filledUnits({ kind, fills }: NonNullable<StoredReceipt['call']>, { parts }: Caller): Receipt['filled'] {
  const seen = fillsIn(fills ?? '[]').filter(({ unit }) => {
    const part = units[kind].find(({ name }) => name === unit)?.part
    return !part || !parts || parts.has(part)
  })
  return seen.map(filledUnit)
}

/** The caller's view of its own call. */
function receiptView(
  requestId: string,
  call: NonNullable<StoredReceipt['call']>,
  entries: StoredReceipt['entries'],
  whole: Explanation | null,
  lists: PriceLists | null,
): Omit<Receipt, 'filled'> {
  const { at, kind, status, source, credits, tag, replayOf } = call
  const explanation = withoutSuppression(whole)
  const note = readNote(call.price)
  const held = Math.abs(entries.find((entry) => entry.kind === 'hold')?.amount ?? 0)
  return {
    request_id: requestId,
    at: isoTime(at),
    endpoint: kind,
    status,
    // The column is written only from a `DataSource`.
    source: source as DataSource | null,
    held,
    charged: credits,
    price: {
      book: note?.book ?? 0,
      lines: note && replayOf === null ? receiptLines(note, lists) : [],
      less_than_held: whyLess(
        { held, charged: credits, isAnswered: status === 200, isReplay: replayOf !== null },
        note,
        lists,
      ),
    },
    providers: (explanation?.attempts ?? []).map(({ provider, outcome }) => ({ name: provider, outcome })),
    reason: callReason(call, explanation, 'caller'),
    spend_tag: tag,
  }
}
