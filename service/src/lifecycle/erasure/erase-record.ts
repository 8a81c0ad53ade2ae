import type { Clock } from '../../foundation/clock.ts'
import { eraseSubject, type ErasureReport } from './erase-subject.ts'
import type { LifecycleStore } from '../operations.ts'

interface Deps {
  clock: Clock
  secret: string
  store: LifecycleStore
  recordsChanged(): Promise<void>
}

type Subject = Omit<Parameters<typeof eraseSubject>[1], 'secret' | 'at'>

/** Erases a subject. As soon as it is on the suppression list, long before the end, no cached copy of it is served. */
export async function eraseRecord(deps: Deps, subject: Subject): Promise<ErasureReport> {
  const { store, secret, clock } = deps
  try {
    return await eraseSubject(store, { ...subject, secret, at: clock.now(), onSuppressed: () => deps.recordsChanged() })
  } finally {
    await deps.recordsChanged()
  }
}
