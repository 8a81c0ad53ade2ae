/** Where work stands that goes through the rows of one step after the other. */
export interface StepCursor<Step> {
  step: Step
  after: number
}

/** What one short transaction has done of each sort, and where the next begins; null at the end. */
export interface StepChunk<Step, Counts> {
  counts: Counts
  next: StepCursor<Step> | null
}

interface Steps<Step, Counts> {
  first: Step
  none: Counts
  runChunk(cursor: StepCursor<Step>): Promise<StepChunk<Step, Counts>>
  onProgress?: ((step: Step, sofar: Counts) => void) | undefined
}

/** Runs chunk after chunk to the end, so that other calls get through between two of them; gives the sum of their counts. */
export async function runSteps<Step, Counts extends { [Sort in keyof Counts]: number }>({
  first,
  none,
  runChunk,
  onProgress,
}: Steps<Step, Counts>): Promise<Counts> {
  const total: Record<string, number> = { ...none }
  for (let cursor: StepCursor<Step> | null = { step: first, after: 0 }; cursor;) {
    const { counts, next } = await runChunk(cursor)
    for (const [sort, count] of Object.entries<number>(counts)) total[sort] = (total[sort] ?? 0) + count
    onProgress?.(cursor.step, total as Counts)
    cursor = next
  }
  return total as Counts
}

/** The place after a chunk: further in its step, or the beginning of the following one. */
export function cursorAfter<Step>(steps: readonly Step[], step: Step, next: number | null): StepCursor<Step> | null {
  if (next !== null) return { step, after: next }
  const following = steps[steps.indexOf(step) + 1]
  return following === undefined ? null : { step: following, after: 0 }
}
