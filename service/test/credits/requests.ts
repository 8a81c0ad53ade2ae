import type {
  CaptureRequest,
  ChargeRequest,
  CheckRequest,
  HoldRequest,
  ReleaseRequest,
} from '../../src/credits/decision/settlement-requests.ts'

export const noon = Date.UTC(2026, 10, 14, 12)
export const minute = 60_000

const step = { keyId: 'k1', environmentId: 1, at: noon, idempotency: null }
const call: ChargeRequest['call'] = {
  kind: 'people',
  source: 'store',
  identifier: 'ada-lovelace',
  entityId: 5,
  versionId: 7,
  fetchId: null,
  durationMs: 1.5,
  tag: null,
  price: null,
}

/** Requests of a test: by default one credit of `k1`, at noon. */
export function charge(requestId: string, more: Partial<Omit<ChargeRequest, 'type'>> = {}): ChargeRequest {
  return { ...step, type: 'charge', requestId, price: 1, extras: 0, repeatFreeSince: null, call, ...more }
}

export function hold(requestId: string, more: Partial<Omit<HoldRequest, 'type'>> = {}): HoldRequest {
  const at = more.at ?? noon
  return { ...step, type: 'hold', requestId, amount: 1, expiresAt: at + minute, ...more }
}

export function capture(requestId: string, more: Partial<Omit<CaptureRequest, 'type'>> = {}): CaptureRequest {
  const live = { ...call, source: 'live', fetchId: 3 } as const
  return { ...step, type: 'capture', requestId, price: 1, extras: 0, repeatFreeSince: null, call: live, ...more }
}

export function release(requestId: string, more: Partial<Omit<ReleaseRequest, 'type'>> = {}): ReleaseRequest {
  return { ...step, type: 'release', requestId, ...more }
}

export function check(requestId: string, more: Partial<Omit<CheckRequest, 'type'>> = {}): CheckRequest {
  return { ...step, type: 'check', requestId, amount: 1, ...more }
}

/** An idempotency value of a test: the same hash and fingerprint for the same words. */
export function value(hash: string, fingerprint = 'ada'): NonNullable<ChargeRequest['idempotency']> {
  return { hash, fingerprint, expiresAt: noon + 72 * 60 * minute }
}
