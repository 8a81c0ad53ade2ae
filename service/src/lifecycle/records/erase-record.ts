import type { Clock } from '../../foundation/clock.ts'
import { storeWith, type Store } from '../../database/store.ts'
import { eraseSubject, type ErasureProgress, type ErasureReport } from '../../records/erasure/erase-subject.ts'
import type { RecordOperations } from '../../records/operations.ts'

interface Deps {
  clock: Clock
  secret: string
  store: Store<RecordOperations>
  recordsChanged(): Promise<void>
}

type Subject = Omit<Parameters<typeof eraseSubject>[1], 'secret' | 'at'>

/** Erases a subject. From the moment it is kept out, and so long before the end, no hot copy of it is served either. */
export async function eraseRecord(
  deps: Deps,
  subject: Subject & { onProgress?: ErasureProgress },
): Promise<ErasureReport & { suppressed: number }> {
  let suppressed = 0
  const store = storeWith<Deps['store']>(deps.store, {
    async addSuppressions(args) {
      const result = await deps.store.addSuppressions(args)
      suppressed += result.added
      await deps.recordsChanged()
      return result
    },
    async eraseEntity(args) {
      const result = await deps.store.eraseEntity(args)
      suppressed += result.suppressed
      return result
    },
  })
  try {
    const report = await eraseSubject(store, { ...subject, secret: deps.secret, at: deps.clock.now() })
    return { ...report, suppressed }
  } finally {
    await deps.recordsChanged()
  }
}
