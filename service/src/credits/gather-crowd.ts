import { setImmediate as nextTurn } from 'node:timers/promises'

interface Crowd {
  /** How many requests wait now, and how many of them are charges for stored answers. */
  readonly waiting: number
  readonly charges: number
}

/** A batch of at least this size counts as a crowd. */
export const crowd = 16
const turnsAtMost = 16
const waitsAtMost = 2

/**
 * Under load, callers that were just answered send their next request at once. Waiting for them doubles the batch at
 * little cost, so a batch waits while each turn of the event loop brings requests or some are known to arrive. Without
 * a crowd nothing waits, and a charge for a stored answer never waits for a crowd of fetches.
 */
export async function gatherCrowd(
  line: Crowd,
  { isOfCharges, arriving }: { isOfCharges: boolean; arriving(): Promise<unknown> | null },
): Promise<void> {
  let before = 0
  let waits = 0
  for (let turns = 0; turns < turnsAtMost; turns++) {
    if (!isOfCharges && line.charges > 0) return
    const arrived = isOfCharges ? line.charges : line.waiting
    const others = waits < waitsAtMost ? arriving() : null
    if (!others && arrived <= before) return
    before = arrived
    if (others) waits += 1
    await others
    await nextTurn()
  }
}
