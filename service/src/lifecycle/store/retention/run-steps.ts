/** The position of work that processes the rows of one step after another. */
export interface StepCursor<Step> {
  step: Step
  after: number
}

/** The counts of one short transaction, and the start of the next; null at the end. */
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

/** Runs all chunks, so that other calls get through between two of them; returns the sum of their counts. */
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

/** The position after a chunk: further in its step, or the start of the following one. */
export function cursorAfter<Step>(steps: readonly Step[], step: Step, next: number | null): StepCursor<Step> | null {
  if (next !== null) return { step, after: next }
  const following = steps[steps.indexOf(step) + 1]
  return following === undefined ? null : { step: following, after: 0 }
}
