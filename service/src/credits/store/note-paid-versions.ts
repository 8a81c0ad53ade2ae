import type { Connection } from '../../database/dialect.ts'
import { insertRows, type Value } from '../../database/sql/bulk-rows.ts'
import type { BilledCall } from '../decision/ledger-draft.ts'

const paidVersions = {
  table: 'paid_versions',
  columns: ['version_id', 'account_id'],
  put: ({ versionId, accountId }: BilledCall, values: Value[]) => void values.push(versionId, accountId),
  onConflict: 'on conflict (version_id, account_id) do nothing',
} as const

/** Writes down which versions environments are answered with, in the transaction that charges for them. */
export async function notePaidVersions(connection: Connection, calls: readonly BilledCall[]): Promise<void> {
  const answered = calls.filter(({ versionId }) => versionId !== null)
  if (answered.length > 0) await insertRows(connection, paidVersions, answered)
}
