import type { AdminAnswer } from '@vitae/contract/admin'
import type { PriceLists } from '../credits/prices/price-book.ts'
import { readNote, receiptLines } from '../credits/prices/price-note.ts'
import type { Receipt as ReceiptFacts } from '../credits/reports/receipt.ts'
import type { Facts } from '../foundation/schema/encode.ts'

/** Describes a receipt: the cost, the subject, and the version and fetch that answered the call. */
export function receiptView(receipt: ReceiptFacts, lists: PriceLists | null): Facts<AdminAnswer<'showReceipt'>> {
  const { requestId, project, environment, key, call, entries, hold } = receipt
  const note = call?.replayOf === null ? readNote(call.price) : null
  return {
    request_id: requestId,
    project,
    environment,
    key,
    at: call && call.at,
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
    entries,
    hold,
  }
}
