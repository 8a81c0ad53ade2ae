import {
  usualAlerts,
  type PayingEnvironment,
  type LedgerSnapshot,
  type PayingKey,
} from '../../../src/credits/decision/ledger-snapshot.ts'

/** An environment with the given credits and default alerts. */
export function environment(id: number, balance: number, more: Partial<PayingEnvironment> = {}): PayingEnvironment {
  const limits = { budget: null, ...usualAlerts, lowNotified: false }
  return { id, balance, held: 0, ...limits, suspended: false, billingBlocked: false, ...more }
}

/** A key without limits, unless some are given. */
export function key(id: string, environmentId: number, more: Partial<PayingKey> = {}): PayingKey {
  return {
    id,
    environmentId,
    spendId: id,
    ceiling: null,
    dailyCeiling: null,
    daysFrom: null,
    expiresAt: null,
    revokedAt: null,
    ...more,
  }
}

/** A ledger without any spending. */
export function snapshotOf(environments: PayingEnvironment[], keys: PayingKey[]): LedgerSnapshot {
  return {
    environments: new Map(environments.map((each) => [each.id, each])),
    keys: new Map(keys.map((each) => [each.id, each])),
    periods: new Map(),
    holds: new Map(),
    idempotencyRecords: new Map(),
    paid: new Map(),
  }
}
