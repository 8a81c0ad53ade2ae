import { setImmediate as nextTurn } from 'node:timers/promises'

interface Crowd {
  /** How many wait now, and how many of them are stored answers. */
  readonly waiting: number
  readonly charges: number
}

/** So many in the last batch are a crowd. */
export const crowd = 16
const turnsAtMost = 16
const waitsAtMost = 2

/**
 * In a crowd, those who have just been answered are back at once: a batch that waits for them, as long as every turn of
 * the loop brings some or some are known to arrive, is twice as large and costs little more. Without a crowd nobody is
 * waited for, and a stored answer waits for no crowd of fetches.
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
