import type { Kind } from '@vitae/contract'
import type { Store } from '../../database/store.ts'
import type { Receipt, SubjectExport } from './export-subject.ts'
import type { Ref } from '../identifiers/find-ref.ts'
import type { RecordOperations } from '../operations.ts'

const rowsAtOnce = 2_000

/** Everything held about one person or company, with who received it. The call log is read in chunks, so that nobody waits. */
export async function gatherSubject(
  store: Pick<Store<RecordOperations>, 'exportSubject' | 'exportCalls'>,
  subject: { kind?: Kind; ref: Ref },
): Promise<(SubjectExport & { calls: Receipt[] }) | null> {
  const held = await store.exportSubject(subject)
  if (!held) return null
  const calls: Receipt[] = []
  for (let afterRequestId = '', done = false; !done;) {
    const page = await store.exportCalls({ entityIds: held.callEntityIds, afterRequestId, limit: rowsAtOnce })
    calls.push(...page.items)
    ;({ next: afterRequestId, done } = page)
  }
  return { ...held, calls }
}
