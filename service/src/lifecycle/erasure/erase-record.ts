import type { Clock } from '../../foundation/clock.ts'
import { eraseSubject, type ErasureReport } from './erase-subject.ts'
import { eraseSubjects, type Erasing, type Erasures, type Subject } from './erase-subjects.ts'
import type { LifecycleStore, SuppressionChangeStore } from '../store/operations.ts'
import { filesAfter, rewriteNow, type BytesGone } from './rewrites.ts'

interface Deps {
  clock: Clock
  secret: string
  store: LifecycleStore
  suppressions: SuppressionChangeStore
  /** When PostgreSQL's tables with deleted rows are rewritten (`VITAE_REWRITE_AT`). */
  rewriteAtMs: number
  recordsChanged(): Promise<void>
}

interface Asked extends Pick<Erasing, 'reason' | 'actor' | 'onProgress'> {
  /** Rewrites the tables of PostgreSQL immediately, not once a day. */
  now?: boolean | undefined
}

/** The files after an erasure. */
export interface Files {
  /** Whether files were rewritten before the erasure answered. */
  rewritten: boolean
  /** The tables of PostgreSQL that still have to be rewritten. */
  left: string[]
  gone: BytesGone
}

/** Erases a subject. Once it is on the suppression list, long before the end, no cached copy of it is served. */
export function eraseRecord(deps: Deps, { now, ...subject }: Subject & Asked): Promise<ErasureReport & Files> {
  return forgetting(deps, now, (erasing) => eraseSubject(deps.store, deps.suppressions, { ...subject, ...erasing }))
}

/** The same for many at once. */
export function eraseRecords(
  deps: Deps,
  subjects: readonly Subject[],
  { now, ...asked }: Asked,
): Promise<Erasures & Files> {
  return forgetting(deps, now, (erasing) =>
    eraseSubjects(deps.store, deps.suppressions, subjects, { ...asked, ...erasing }),
  )
}

async function forgetting<Report extends { rewritten: boolean }>(
  { secret, clock, recordsChanged, store, rewriteAtMs: timeOfDayMs }: Deps,
  now: boolean | undefined,
  erase: (erasing: Pick<Erasing, 'secret' | 'at' | 'onSuppressed'>) => Promise<Report>,
): Promise<Report & Files> {
  try {
    const report = await erase({ secret, at: clock.now(), onSuppressed: () => recordsChanged() })
    const { done } = now ? await rewriteNow(store, clock) : { done: [] }
    const files = await filesAfter(store, { clock, timeOfDayMs })
    return { ...report, ...files, rewritten: report.rewritten || done.length > 0 }
  } finally {
    await recordsChanged()
  }
}
