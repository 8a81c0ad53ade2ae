import type { PriceLine } from '../credits/prices/price-book.ts'

/** Values that no variable changes. Tests pass others to `readConfig`. */
export const fixedValues = {
  /** A process whose event loop is later than this refuses new calls. */
  maxLagMs: 1_000,
  /** The same above this many calls at once. */
  maxInFlight: 20_000,
  /** How long a repeated Idempotency-Key waits for the first call: most clients give up after 30 s. */
  idempotencyWaitMs: 25_000,
  /** Distinct spend tags of an environment per UTC day. */
  tagsPerDay: 1_000,
  watchesPerEnvironment: 100_000,
  /** Watches that one process refreshes at once. */
  watchesAtOnce: 4,
  webhooksPerEnvironment: 20,
  /** Unfinished batches of an environment. */
  openBatches: 100,
  /** How long a provider is not asked after VITAE_BREAKER_FAILURES failures in a row. */
  breakerMs: 15_000,
  /** The largest answer of a provider: records have at most a few 100 KB. */
  upstreamMaxBytes: 1_048_576,
  /** Factors of the time that PostgreSQL and Redis have to answer. */
  postgresPatience: 1,
  redisPatience: 1,
  /** A node with an older last heartbeat counts as dead. */
  nodeDeadAfterMs: 6_000,
  /** Lines of price book 0 before the prices of people and companies. */
  priceLines: [] as readonly PriceLine[],
}
export type FixedValues = typeof fixedValues
