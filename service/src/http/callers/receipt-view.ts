import type { DataSource, Receipt } from '@vitae/contract'
import type { Receipt as StoredReceipt } from '../../credits/reports/receipt.ts'
import type { Explanation } from '../../records/call-details.ts'

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
  price: { book: 0, lines: [{ line: 'people', credits: 1 }] },
  providers: [{ name: 'sample', outcome: 'found' }],
  spend_tag: 'sample-campaign',
}

/** A call of one's own as callers see it. */
export function receiptView(
  requestId: string,
  call: NonNullable<StoredReceipt['call']>,
  entries: StoredReceipt['entries'],
  explanation: Explanation | null,
): Receipt {
  const { at, kind, status, source, credits, tag } = call
  return {
    request_id: requestId,
    at: new Date(at).toISOString(),
    endpoint: kind,
    status,
    // Written from an answer's own source.
    source: source as DataSource | null,
    held: Math.abs(entries.find((entry) => entry.kind === 'hold')?.amount ?? 0),
    charged: credits,
    price: { book: 0, lines: credits === 0 ? [] : [{ line: source === 'stale_fallback' ? 'stale' : kind, credits }] },
    providers: (explanation?.attempts ?? []).map(({ provider, outcome }) => ({ name: provider, outcome })),
    spend_tag: tag,
  }
}
