import type { Contestant } from '../contestants/contestant.ts'

/** Stops everything that the work started, even if the work fails. */
export async function withAll<T>(
  work: (start: <C extends Contestant | null>(contestant: Promise<C>) => Promise<C>) => Promise<T>,
): Promise<T> {
  const started: Contestant[] = []
  try {
    return await work(async (contestant) => {
      const one = await contestant
      if (one) started.push(one)
      return one
    })
  } finally {
    for (const contestant of started.toReversed()) await contestant.stop()
  }
}
