import type { RawPayload } from '../../src/records/rows/archive.ts'
import type { TestService } from '../harness/test-service.ts'

// PostgreSQL leaves gaps in ids after a rollback.
const gapAtMost = 50

/** Everything in the archive about one identifier (`slug:ada`), oldest first. */
export async function archiveRows(service: TestService, identifier: string): Promise<RawPayload[]> {
  const rows: RawPayload[] = []
  for (let fetchId = 1, gap = 0; gap < gapAtMost; fetchId++) {
    const row = await service.service.store.entities.rawPayload({ fetchId })
    gap = row ? 0 : gap + 1
    if (row?.identifier === identifier) rows.push(row)
  }
  return rows
}
