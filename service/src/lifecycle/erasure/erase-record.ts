import type { Clock } from '../../foundation/clock.ts'
import { eraseSubject, type ErasureReport } from './erase-subject.ts'
import { eraseSubjects, type Erasing, type Erasures, type Subject } from './erase-subjects.ts'
import type { LifecycleStore, SuppressionChanges } from '../operations.ts'

interface Deps {
  clock: Clock
  secret: string
  store: LifecycleStore
  suppressions: SuppressionChanges
  recordsChanged(): Promise<void>
}

type Asked = Pick<Erasing, 'reason' | 'actor' | 'onProgress'>

/** Erases a subject. Once it is on the suppression list, long before the end, no cached copy of it is served. */
export function eraseRecord(deps: Deps, subject: Subject & Asked): Promise<ErasureReport> {
  return forgetting(deps, (erasing) => eraseSubject(deps.store, deps.suppressions, { ...subject, ...erasing }))
}

/** The same for many at once. */
export function eraseRecords(deps: Deps, subjects: readonly Subject[], asked: Asked): Promise<Erasures> {
  return forgetting(deps, (erasing) => eraseSubjects(deps.store, deps.suppressions, subjects, { ...asked, ...erasing }))
}

async function forgetting<Report>(
  { secret, clock, recordsChanged }: Deps,
  erase: (erasing: Pick<Erasing, 'secret' | 'at' | 'onSuppressed'>) => Promise<Report>,
): Promise<Report> {
  try {
    return await erase({ secret, at: clock.now(), onSuppressed: () => recordsChanged() })
  } finally {
    await recordsChanged()
  }
}
