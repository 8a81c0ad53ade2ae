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

/** Where a run stands; null at its end. */
export interface RetentionCursor {
  step: RetentionStep
  after: number
}

/** Nothing, of every sort. */
export function noCounts(): RetentionCounts {
  return { payloads: 0, versions: 0, fetches: 0, entities: 0, calls: 0, misses: 0 }
}
