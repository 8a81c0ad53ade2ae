import type { DataSource, Receipt } from '@vitae/contract'
import type { Receipt as StoredReceipt } from '../../credits/reports/receipt.ts'
import type { PriceLists } from '../../credits/prices/price-book.ts'
import { readNote, receiptLines, whyLess } from '../../credits/prices/price-note.ts'
import type { Explanation } from '../../records/call-details.ts'
import { callReason, withoutSuppression } from './call-reason.ts'
import { isoTime } from '../../foundation/clock.ts'

export const sampleReceiptId = 'sample-receipt'

/** What a test key may practise with. */
export const sampleReceipt: Receipt = {
  request_id: sampleReceiptId,
  at: '2026-11-14T09:30:00.000Z',
  endpoint: 'people',
  status: 200,
  source: 'live',
  held: 1,
  charged: 1,
  price: { book: 0, lines: [{ line: 'line 7: people', credits: 1 }], less_than_held: [] },
  providers: [{ name: 'sample', outcome: 'found' }],
  reason: 'Fetched from sample, because nothing is stored under this identifier.',
  spend_tag: 'sample-campaign',
}

/** A call of one's own as callers see it. */
export function receiptView(
  requestId: string,
  call: NonNullable<StoredReceipt['call']>,
  entries: StoredReceipt['entries'],
  whole: Explanation | null,
  lists: PriceLists | null,
): Receipt {
  const { at, kind, status, source, credits, tag, replayOf } = call
  const explanation = withoutSuppression(whole)
  const note = readNote(call.price)
  const held = Math.abs(entries.find((entry) => entry.kind === 'hold')?.amount ?? 0)
  return {
    request_id: requestId,
    at: isoTime(at),
    endpoint: kind,
    status,
    // Written from an answer's own source.
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
