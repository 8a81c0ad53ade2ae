/** A due piece of work of an environment. */
interface Due {
  account_id: number
}

/**
 * Chooses what is claimed next: the oldest of the environment with the fewest in progress. `mostOf` limits how many one
 * environment may have while this many more can begin. An environment without work in progress may always begin one.
 */
export function chooseFairly<Piece extends Due>(
  due: readonly Piece[],
  inProgress: ReadonlyMap<number, number>,
  { limit, mostOf }: { limit: number; mostOf: (left: number) => number },
): Piece[] {
  const taken = new Map(inProgress)
  const takenBy = (environmentId: number) => taken.get(environmentId) ?? 0
  const chosen: Piece[] = []
  const waiting = Map.groupBy(due, ({ account_id }) => account_id)
  for (let left = limit; left > 0; left--) {
    const most = Math.max(1, mostOf(left))
    let fewest: number | undefined
    for (const id of waiting.keys())
      if (takenBy(id) < most && (fewest === undefined || takenBy(id) < takenBy(fewest))) fewest = id
    const next = fewest === undefined ? undefined : waiting.get(fewest)?.shift()
    if (fewest === undefined || !next) break
    chosen.push(next)
    taken.set(fewest, takenBy(fewest) + 1)
    if (waiting.get(fewest)?.length === 0) waiting.delete(fewest)
  }
  return chosen
}
