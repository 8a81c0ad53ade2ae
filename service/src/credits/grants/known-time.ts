import type { Connection, Tx } from '../../database/engine/dialect.ts'
import { clocksDifferMs, dayMs, utcMonth } from '../../foundation/clock.ts'

/** The store's knowledge about the clocks of its nodes. */
interface KnownTime {
  /** The last recorded time. */
  seen: number
  /** Since when the clock has run without a jump. */
  since: number
  /** The last time recorded by a clock that had run for a day without a jump. */
  sure: number
}

const name = 'known_time'
/** A clock jump is expected to be noticed and corrected within this time. */
const settlesMs = 60_000
const sureAfterMs = dayMs
const restartWithinMs = 3_600_000
const noteEveryMs = 600_000

/** The state of the clocks that the store has recorded; null before `noteClock` first ran. */
export async function readKnownTime(tx: Tx): Promise<KnownTime | null> {
  const row = await tx.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst()
  // Written below.
  return row ? (JSON.parse(row.value) as KnownTime) : null
}

/** The last certain time; null before `noteClock` first ran. */
export async function knownTime({ db }: Connection, _args: null): Promise<{ sure: number } | null> {
  return readKnownTime(db)
}

/**
 * Records the time. `isSteady` says whether the clock agrees with the time elapsed in this process since its last note.
 * It is null at the first note, and then the last note of any process decides. `wasLate` is the result of this
 * process's last note. Monthly grants depend on the result.
 */
export async function noteClock(
  { db: tx }: Connection,
  { at, isSteady, wasLate }: { at: number; isSteady: boolean | null; wasLate: boolean },
): Promise<{ sure: number; isSettled: boolean; isCertain: boolean; isLate: boolean }> {
  const known = await readKnownTime(tx)
  const late = known !== null && isLate(known, at)
  // A process or its message may have been frozen while others recorded later times. Only a clock that was set back is
  // late twice in a row.
  if (late && isSteady !== false && !wasLate)
    return { sure: known.sure, isSettled: false, isCertain: false, isLate: true }
  const goesOn = known !== null && !late && (isSteady ?? follows(at, known.seen))
  const since = goesOn ? known.since : at
  const isCertain = at - since >= sureAfterMs
  const sure = known === null || isCertain ? at : known.sure
  const isNews = !known || !goesOn || at - known.seen >= noteEveryMs || utcMonth(sure) !== utcMonth(known.sure)
  if (isNews) await write(tx, { seen: at, since, sure })
  return { sure, isSettled: at - since >= settlesMs, isCertain, isLate: late }
}

/** Records the time of an entry, so that no message from before it can undo it. */
export async function noteEntered(tx: Tx, at: number): Promise<void> {
  const known = await readKnownTime(tx)
  if (known && at > known.seen + clocksDifferMs) await write(tx, { ...known, seen: at })
}

/**
 * Whether a later time than that of the message is already recorded. Only `noteClock` records that the clock was set
 * back.
 */
export async function isLateMessage(tx: Tx, at: number): Promise<boolean> {
  const known = await readKnownTime(tx)
  return known !== null && isLate(known, at)
}

function isLate({ seen }: KnownTime, at: number): boolean {
  return at < seen - clocksDifferMs
}

async function write(tx: Tx, time: KnownTime): Promise<void> {
  const value = JSON.stringify(time)
  await tx
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}

/** A restart takes minutes. After a longer stop, nothing is known about the clock. */
function follows(at: number, seen: number): boolean {
  return at >= seen - clocksDifferMs && at - seen <= restartWithinMs
}
