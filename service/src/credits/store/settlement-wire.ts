import type { CallFacts, Decision, Idempotency, SettleRequest } from '../settlement-requests.ts'

type Step = [requestId: string, keyId: string, accountId: number, at: number, idempotency: Idempotency | null]
type Facts = [
  kind: CallFacts['kind'],
  source: CallFacts['source'],
  identifier: string | null,
  entityId: number | null,
  versionId: number | null,
  fetchId: number | null,
  durationMs: number | null,
]

/** A request as it is sent to the store: values without their names, which cost more than the values. */
export type RequestRow =
  | ['charge' | 'capture', ...Step, price: number, repeatFreeSince: number | null, ...Facts]
  | ['hold', ...Step, amount: number, expiresAt: number]
  | ['release', ...Step]
  | ['check', ...Step, amount: number]

/** A decision as it is sent back: what was charged and the standing, or whatever else was decided, as it is. */
export type DecisionRow = [charged: number, available: number, ceilingRemaining: number | null] | Decision

export function requestRow(request: SettleRequest): RequestRow {
  const { type, requestId, keyId, accountId, at, idempotency } = request
  switch (type) {
    case 'charge':
    case 'capture': {
      const { price, repeatFreeSince, call } = request
      const { kind, source, identifier, entityId, versionId, fetchId, durationMs } = call
      return [
        type,
        requestId,
        keyId,
        accountId,
        at,
        idempotency,
        price,
        repeatFreeSince,
        kind,
        source,
        identifier,
        entityId,
        versionId,
        fetchId,
        durationMs,
      ]
    }
    case 'hold':
      return [type, requestId, keyId, accountId, at, idempotency, request.amount, request.expiresAt]
    case 'release':
      return [type, requestId, keyId, accountId, at, idempotency]
    case 'check':
      return [type, requestId, keyId, accountId, at, idempotency, request.amount]
  }
}

export function requestOf(row: RequestRow): SettleRequest {
  // By index: destructuring an array goes through its iterator.
  const requestId = row[1]
  const keyId = row[2]
  const accountId = row[3]
  const at = row[4]
  const idempotency = row[5]
  switch (row[0]) {
    case 'charge':
    case 'capture': {
      const call: CallFacts = {
        kind: row[8],
        source: row[9],
        identifier: row[10],
        entityId: row[11],
        versionId: row[12],
        fetchId: row[13],
        durationMs: row[14],
      }
      const [price, repeatFreeSince] = [row[6], row[7]]
      return { type: row[0], requestId, keyId, accountId, at, idempotency, price, repeatFreeSince, call }
    }
    case 'hold':
      return { type: 'hold', requestId, keyId, accountId, at, idempotency, amount: row[6], expiresAt: row[7] }
    case 'release':
      return { type: 'release', requestId, keyId, accountId, at, idempotency }
    case 'check':
      return { type: 'check', requestId, keyId, accountId, at, idempotency, amount: row[6] }
  }
}

export function decisionRow(decision: Decision): DecisionRow {
  if (decision.outcome !== 'settled') return decision
  return [decision.charged, decision.available, decision.ceilingRemaining]
}

export function decisionOf(row: DecisionRow): Decision {
  if (!Array.isArray(row)) return row
  return { outcome: 'settled', charged: row[0], available: row[1], ceilingRemaining: row[2] }
}
