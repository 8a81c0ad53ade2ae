import type { Clock } from '../../foundation/clock.ts'
import { eraseSubject, type ErasureReport } from './erase-subject.ts'
import type { LifecycleStore, SuppressionChanges } from '../operations.ts'

interface Deps {
  clock: Clock
  secret: string
  store: LifecycleStore
  suppressions: SuppressionChanges
  recordsChanged(): Promise<void>
}

type Subject = Omit<Parameters<typeof eraseSubject>[2], 'secret' | 'at'>

/** Erases a subject. As soon as it is on the suppression list, long before the end, no cached copy of it is served. */
export async function eraseRecord(deps: Deps, subject: Subject): Promise<ErasureReport> {
  const { store, suppressions, secret, clock } = deps
  try {
    const onSuppressed = () => deps.recordsChanged()
    return await eraseSubject(store, suppressions, { ...subject, secret, at: clock.now(), onSuppressed })
  } finally {
    await deps.recordsChanged()
  }
}
