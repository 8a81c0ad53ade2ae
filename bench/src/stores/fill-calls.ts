import type { DatabaseStore } from '../../../service/src/database/database-operations.ts'
import type { CreditStore } from '../../../service/src/credits/operations.ts'
import { decodeOutcomes, encodeBatch } from '../../../service/src/credits/store/settlement-wire.ts'
import type { SettleRequest } from '../../../service/src/credits/decision/settlement-requests.ts'
import type { Payer } from './made-store.ts'

interface Calls {
  since: number
  until: number
  calls: number
  records: number
  payers: readonly Payer[]
}

const atOnce = 1_000
const monthMs = 28 * 86_400_000
/** Of twenty calls one is not found, two are fetched from a provider, and the store answers the others. */
const [missEvery, liveBelow] = [20, 3]
const tagEvery = 4
const tags = 8

/** Writes calls evenly over a period. Answered calls go through the ledger. */
export async function fillCalls(
  store: {
    credits: Pick<CreditStore, 'settle' | 'logCalls'>
    database: Pick<DatabaseStore, 'makePartitions'>
  },
  span: Calls,
  onProgress: (done: number, all: number) => void,
): Promise<void> {
  for (let now = span.since; now < span.until; now += monthMs) await store.database.makePartitions({ now })
  for (let first = 0; first < span.calls; first += atOnce) {
    const numbers = Array.from({ length: Math.min(atOnce, span.calls - first) }, (_, offset) => first + offset)
    const requests = numbers.filter((number) => number % missEvery > 0).map((number) => chargeOf(span, number))
    const outcomes = decodeOutcomes(await store.credits.settle(encodeBatch({ requests })))
    const refused = outcomes.find(({ outcome }) => outcome !== 'settled')
    if (refused) throw new Error(`a call was not charged: ${refused.outcome}`)
    await store.credits.logCalls({
      calls: numbers.filter((number) => number % missEvery === 0).map((number) => missOf(span, number)),
    })
    onProgress(first + numbers.length, span.calls)
  }
}

function chargeOf(span: Calls, number: number): SettleRequest {
  const { keyId, environmentId, entityId, ...shared } = callOf(span, number)
  const source = number % missEvery < liveBelow ? ('live' as const) : ('store' as const)
  const facts = { kind: 'people' as const, identifier: null, entityId, versionId: entityId, fetchId: null }
  return {
    type: 'charge',
    requestId: shared.requestId,
    keyId,
    environmentId,
    at: shared.at,
    idempotency: null,
    price: 1,
    extras: 0,
    repeatFreeSince: null,
    answeredLater: true,
    call: {
      ...facts,
      source,
      durationMs: source === 'live' ? 300 + (number % 700) : 1 + (number % 5),
      tag: shared.tag,
      price: null,
    },
  }
}

function missOf(span: Calls, number: number) {
  const failed = { kind: 'people' as const, mode: 'live' as const, status: 404, code: 'not_found', source: null }
  const about = { identifier: null, entityId: null, versionId: null, fetchId: null, replayOf: null }
  return { ...callOf(span, number), ...failed, ...about, credits: 0, durationMs: 200 + (number % 300) }
}

function callOf({ since, until, calls, records, payers }: Calls, number: number) {
  const at = Math.floor(since + ((until - since) * number) / calls)
  const payer = payers[Math.floor(number / missEvery) % payers.length]
  if (!payer) throw new Error('nobody pays')
  const { keyId, environmentId } = payer
  const tag = number % tagEvery === 0 ? `campaign-${number % tags}` : null
  const entityId = records === 0 ? null : 1 + (number % records)
  return { requestId: requestIdOf(at, number), at, keyId, environmentId, tag, entityId }
}

/** A version 7 UUID, as calls have. On PostgreSQL it determines the monthly partition. */
function requestIdOf(at: number, number: number): string {
  const hex = at.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${number.toString(16).padStart(12, '0')}`
}
