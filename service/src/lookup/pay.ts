import { fingerprint, idempotencyHash } from '../credits/idempotency-key.ts'
import type { Decision, Idempotency, SettleRequest } from '../credits/settlement-requests.ts'
import { Failure } from '../foundation/failure.ts'
import { inSpan } from '../foundation/tracing.ts'
import { effectiveMaxAgeMs } from './freshness.ts'
import type { Lookup } from './lookup.ts'
import type { LookupDeps, Payer } from './deps.ts'

export type Settled = Extract<Decision, { outcome: 'settled' }>
export type Replay = Extract<Decision, { outcome: 'replay' }>
export type Running = Extract<Decision, { outcome: 'running' }>

/** Has the ledger decide on one step of a call. */
export function askLedger(deps: Pick<LookupDeps, 'settle'>, request: SettleRequest): Promise<Decision> {
  return inSpan('vitae.settle', { step: request.type }, () => deps.settle(request))
}

/** Whatever the ledger refuses becomes the failure that the caller gets. */
export function accepted(decision: Decision): Settled | Replay | Running {
  if (decision.outcome === 'refused') throw new Failure(decision.code)
  if (decision.outcome === 'mismatch') {
    throw new Failure('idempotency_key_reused', {
      detail:
        'This Idempotency-Key was used for another lookup. Use a new value for each lookup, and the same one only for its retries.',
    })
  }
  return decision
}

/**
 * Keeps a hold alive while its call runs, however slow the provider is; the returned function ends that. Most calls are
 * over before the first renewal.
 */
export function keepHold(
  deps: Pick<LookupDeps, 'extendHold' | 'rules' | 'clock' | 'log'>,
  { requestId, accountId, idempotency }: Pick<SettleRequest, 'requestId' | 'accountId' | 'idempotency'>,
): () => void {
  const { holdMs } = deps.rules
  const mark = idempotency && { accountId, hash: idempotency.hash }
  const extend = async () => {
    try {
      await deps.extendHold({ id: requestId, expiresAt: deps.clock.now() + holdMs, mark })
    } catch (error) {
      deps.log.warn({ err: error, requestId }, 'the hold of a running call could not be extended')
    }
  }
  const timer = setInterval(() => void extend(), holdMs / 4)
  return () => clearInterval(timer)
}

/** The mark under which a keyed call is remembered; null without an Idempotency-Key. */
export function idempotencyMark(
  deps: Pick<LookupDeps, 'secret' | 'rules' | 'clock'>,
  payer: Payer,
  lookup: Lookup,
): Idempotency | null {
  if (lookup.idempotencyKey === null) return null
  return {
    hash: idempotencyHash(deps.secret, payer.accountId, lookup.idempotencyKey),
    fingerprint: fingerprint({
      kind: lookup.identifier.kind,
      identifier: lookup.identifier,
      includeContactInfo: lookup.include.contact,
      includeNetworkInfo: lookup.include.network,
      includeVerifications: lookup.include.verifications,
      maxAgeDays: effectiveMaxAgeMs(lookup.freshness.maxAgeDays, deps.rules.freshness) / 86_400_000,
      bypassCache: lookup.freshness.bypassCache,
      require: lookup.require ?? null,
    }),
    expiresAt: deps.clock.now() + deps.rules.idempotencyMs,
  }
}
