import type { Connection, Tx } from '../database/dialect.ts'
import { clocksDifferMs, dayMs, utcMonth } from '../foundation/clock.ts'

/** What the store knows of the clock that it is told the time by. */
interface KnownTime {
  /** The last moment that was noted. */
  seen: number
  /** Since when the clock has gone on without a step. */
  since: number
  /** The last moment of a clock that had gone on for a day without a step. */
  sure: number
}

const name = 'known_time'
/** A step of the clock that is noticed is corrected within this, or nobody watches. */
const settlesMs = 60_000
const sureAfterMs = dayMs
const restartWithinMs = 3_600_000
const noteEveryMs = 600_000

/** What is known; null before the first note. */
export async function readKnownTime(tx: Tx): Promise<KnownTime | null> {
  const row = await tx.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst()
  // Written below.
  return row ? (JSON.parse(row.value) as KnownTime) : null
}

/** The last certain moment; null before the first note. */
export async function knownTime({ db }: Connection, _args: null): Promise<{ sure: number } | null> {
  return readKnownTime(db)
}

/**
 * Notes the time. `isSteady` says whether the clock agrees with the time that has passed in this process since its last note; null
 * at the first one, where the last note of any process decides. `wasLate` is what the last note of this process gave. Money that a
 * month brings depends on what this gives.
 */
export async function noteClock(
  { db: tx }: Connection,
  { at, isSteady, wasLate }: { at: number; isSteady: boolean | null; wasLate: boolean },
): Promise<{ sure: number; isSettled: boolean; isCertain: boolean; isLate: boolean }> {
  const known = await readKnownTime(tx)
  const late = known !== null && isLate(known, at)
  // A process, or its message, may have been frozen while others noted later times. Only a clock that was set back is late twice.
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

/** Notes that something was entered at a moment, so that no message from before it takes that back. */
export async function noteEntered(tx: Tx, at: number): Promise<void> {
  const known = await readKnownTime(tx)
  if (known && at > known.seen + clocksDifferMs) await write(tx, { ...known, seen: at })
}

/** Whether later times are known than that of a message. Only `noteClock` makes known that the clock was set back. */
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

/** A restart takes some minutes. After a longer stop nobody knows what happened to the clock. */
function follows(at: number, seen: number): boolean {
  return at >= seen - clocksDifferMs && at - seen <= restartWithinMs
}
