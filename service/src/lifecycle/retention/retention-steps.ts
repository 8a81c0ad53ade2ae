import type { Dialect } from '../../database/dialect.ts'
import type { RetentionRules } from '../../config/retention-config.ts'

/** How much of each sort was too old. */
export interface RetentionCounts {
  payloads: number
  versions: number
  fetches: number
  entities: number
  calls: number
  misses: number
}

/** In this order: a fetch goes only when neither its payload nor its version is kept. */
export const retentionSteps = ['payloads', 'versions', 'fetches', 'entities', 'calls', 'misses'] as const
export type RetentionStep = (typeof retentionSteps)[number]

/** Nothing, of every sort. */
export function noCounts(): RetentionCounts {
  return { payloads: 0, versions: 0, fetches: 0, entities: 0, calls: 0, misses: 0 }
}

/** What one step is given. It looks at up to `limit` rows and says after which row it goes on, or that it is done. */
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
