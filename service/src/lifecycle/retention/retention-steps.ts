import type { Dialect } from '../../database/dialect.ts'
import type { RetentionRules } from '../../config/retention-config.ts'

/** The number of expired rows of each sort. */
export interface RetentionCounts {
  payloads: number
  versions: number
  fetches: number
  entities: number
  calls: number
  misses: number
}

/** In this order: a fetch is removed only if neither its payload nor its version is stored. */
export const retentionSteps = ['payloads', 'versions', 'fetches', 'entities', 'calls', 'misses'] as const
export type RetentionStep = (typeof retentionSteps)[number]

/** All counts zero. */
export function noCounts(): RetentionCounts {
  return { payloads: 0, versions: 0, fetches: 0, entities: 0, calls: 0, misses: 0 }
}

/**
 * The arguments of one step. It processes up to `limit` rows and returns the row after which to continue, or null at
 * the end.
 */
export interface StepArgs {
  dialect: Dialect
  now: number
  rules: RetentionRules
  after: number
  limit: number
  dryRun: boolean
}

export interface StepResult {
  counts: Partial<RetentionCounts>
  next: number | null
}
