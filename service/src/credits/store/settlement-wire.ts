import type { Sharing } from '../../database/engine/dialect.ts'
import type { Lease } from '../../work/leases.ts'
import type { CallFacts, Decision, Idempotency, SettleRequest } from '../decision/settlement-requests.ts'

type Step = [requestId: string, keyId: string, environmentId: number, at: number, idempotency: Idempotency | null]
type Facts = [
  kind: CallFacts['kind'],
  source: CallFacts['source'],
  identifier: string | null,
  entityId: number | null,
  versionId: number | null,
  fetchId: number | null,
  durationMs: number | null,
  price: string | null,
  foldId: number | null,
]
type PaymentRow = [
  'charge' | 'capture',
  ...Step,
  price: number,
  extras: number,
  repeatFreeSince: number | null,
  ...Facts,
]
type HoldRow = ['hold', ...Step, amount: number, expiresAt: number]

/** A request as sent to the store: values without field names, which would take more space than the values. */
type RequestRow =
  | [...PaymentRow, ...rest: [tag: string | null, ...lease: [Lease] | []] | []]
  | [...HoldRow, ...lease: [Lease] | []]
  | ['release', ...Step]
  | ['check', ...Step, amount: number]

/** A decision as sent back: only the figures of a settled one, any other unchanged. */
type DecisionRow =
  | [charged: number, available: number, ...ceiling: [remaining: number | null, resetsAt: number | null] | []]
  | Outcome

/** The store's answer to one request. Busy: another transaction has locked the environment, and nothing was done. */
export type Outcome = Decision | { outcome: 'busy' }

export interface SettlementBatch {
  requests: readonly SettleRequest[]
  /** An earlier attempt may have been committed: what it settled is found and not settled twice. */
  retry?: boolean
  /** False: does not wait for an environment that another transaction has locked; its requests return busy. */
  wait?: boolean
  /** The requests whose version is recorded as an answer to their environment, with the key of the record; undefined = all. */
  toNote?: readonly (readonly [requestId: string, key: string])[] | undefined
}

/** A batch in the form in which it is sent: as text to another thread, unchanged to a store in this process. */
export type SentBatch = string | SettlementBatch
export type SentOutcomes = string | Outcome[]

/** Encodes a batch as text, which crosses into the store's thread at a third of the cost of cloning its objects. */
export function encodeBatch({ requests, retry = false, wait = true, toNote }: SettlementBatch): string {
  return JSON.stringify([isSynced(requests), retry, wait, requests.map(requestRow), toNote])
}

function isSynced(requests: readonly SettleRequest[]): boolean {
  return requests.some((request) => isPayment(request) && !request.answeredLater)
}

/**
 * Every payment of a batch is durable before it is answered, unless all of them are answered later. On the embedded
 * engine a hold dies with its process, so holds and releases need no sync of their own.
 */
export function sharingOf(sent: SentBatch): Sharing {
  const synced = typeof sent === 'string' ? sent.startsWith('[true') : isSynced(sent.requests)
  return { durability: synced ? 'synced' : 'with the next', isCharge: true }
}

type BatchRow = [boolean, boolean, boolean, RequestRow[], [string, string][] | null]

/** Decodes a batch in the store. */
export function decodeBatch(sent: SentBatch): SettlementBatch {
  if (typeof sent !== 'string') return sent
  const [, retry, wait, rows, toNote] = JSON.parse(sent) as BatchRow
  return { requests: rows.map(requestOf), retry, wait, toNote: toNote ?? undefined }
}

/** Encodes the outcomes of a batch as text. */
export function encodeOutcomes(outcomes: readonly Outcome[]): string {
  return JSON.stringify(outcomes.map(decisionRow))
}

/** Decodes the outcomes where the batch was sent. */
export function decodeOutcomes(sent: SentOutcomes): Outcome[] {
  return typeof sent === 'string' ? (JSON.parse(sent) as DecisionRow[]).map(decisionOf) : sent
}

function requestRow(request: SettleRequest): RequestRow {
  const { type, requestId, keyId, environmentId, at, idempotency } = request
  switch (type) {
    case 'charge':
    case 'capture': {
      const { price, extras, repeatFreeSince, call } = request
      const { kind, source, identifier, entityId, versionId, fetchId, durationMs, tag } = call
      const row: PaymentRow = [
        type,
        requestId,
        keyId,
        environmentId,
        at,
        idempotency,
        price,
        extras,
        repeatFreeSince,
        kind,
        source,
        identifier,
        entityId,
        versionId,
        fetchId,
        durationMs,
        call.price,
        call.foldId ?? null,
      ]
      if (request.lease) return [...row, tag, request.lease]
      return tag === null ? row : [...row, tag]
    }
    case 'hold': {
      const row: HoldRow = [type, requestId, keyId, environmentId, at, idempotency, request.amount, request.expiresAt]
      return request.lease ? [...row, request.lease] : row
    }
    case 'release':
      return [type, requestId, keyId, environmentId, at, idempotency]
    case 'check':
      return [type, requestId, keyId, environmentId, at, idempotency, request.amount]
  }
}

function requestOf(row: RequestRow): SettleRequest {
  // Uses indices, because destructuring an array goes through its iterator.
  const requestId = row[1]
  const keyId = row[2]
  const environmentId = row[3]
  const at = row[4]
  const idempotency = row[5]
  switch (row[0]) {
    case 'charge':
    case 'capture': {
      const call: CallFacts = {
        kind: row[9],
        source: row[10],
        identifier: row[11],
        entityId: row[12],
        versionId: row[13],
        fetchId: row[14],
        durationMs: row[15],
        price: row[16],
        foldId: row[17],
        tag: row[18] ?? null,
      }
      const [price, extras, repeatFreeSince] = [row[6], row[7], row[8]]
      const paid = {
        type: row[0],
        requestId,
        keyId,
        environmentId,
        at,
        idempotency,
        price,
        extras,
        repeatFreeSince,
        call,
      }
      return row[19] ? { ...paid, lease: row[19] } : paid
    }
    case 'hold': {
      const hold = { requestId, keyId, environmentId, at, idempotency, amount: row[6], expiresAt: row[7] }
      return row[8] ? { type: 'hold', ...hold, lease: row[8] } : { type: 'hold', ...hold }
    }
    case 'release':
      return { type: 'release', requestId, keyId, environmentId, at, idempotency }
    case 'check':
      return { type: 'check', requestId, keyId, environmentId, at, idempotency, amount: row[6] }
  }
}

function decisionRow(outcome: Outcome): DecisionRow {
  if (outcome.outcome !== 'settled' || outcome.answered) return outcome
  const { charged, available, ceilingRemaining, ceilingResetsAt } = outcome
  return ceilingRemaining === null ? [charged, available] : [charged, available, ceilingRemaining, ceilingResetsAt]
}

function decisionOf(row: DecisionRow): Outcome {
  if (!Array.isArray(row)) return row
  const [ceilingRemaining, ceilingResetsAt] = [row[2] ?? null, row[3] ?? null]
  return { outcome: 'settled', charged: row[0], available: row[1], ceilingRemaining, ceilingResetsAt }
}

/** Only payments are billed and leave a receipt. */
export function isPayment({ type }: SettleRequest): boolean {
  return type === 'charge' || type === 'capture'
}
