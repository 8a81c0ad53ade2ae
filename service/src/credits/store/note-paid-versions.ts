import type { Database } from '../../database/dialect.ts'
import { insertRows, type Value } from '../../database/sql/bulk-rows.ts'
import type { Statements } from '../../database/sql/statements.ts'
import type { BilledCall } from '../decision/ledger-draft.ts'

const paidVersions = {
  table: 'paid_versions',
  columns: ['version_id', 'account_id'],
  put: ({ versionId, accountId }: BilledCall, values: Value[]) => void values.push(versionId, accountId),
  onConflict: 'on conflict (version_id, account_id) do nothing',
} as const

const rememberedAtMost = 100_000
const remembered = new WeakMap<Database, Map<number, Set<number>>>()

/**
 * Writes down which versions environments are answered with, in the transaction that charges for them. What is known to be
 * written is remembered, so that a further answer with the same version costs no statement.
 */
export class PaidVersionNotes {
  readonly #known: Map<number, Set<number>>
  #fresh: BilledCall[] = []

  constructor(database: Database) {
    this.#known = remembered.get(database) ?? new Map<number, Set<number>>()
    remembered.set(database, this.#known)
  }

  async write(statements: Statements, calls: readonly BilledCall[]): Promise<void> {
    this.#fresh = calls.filter(({ versionId, accountId }) => {
      return versionId !== null && this.#known.get(versionId)?.has(accountId) !== true
    })
    if (this.#fresh.length > 0) await insertRows(statements, paidVersions, this.#fresh)
  }

  /** Only what was committed is remembered. */
  committed(): void {
    if (this.#fresh.length > 0 && this.#known.size > rememberedAtMost) this.#known.clear()
    for (const { versionId, accountId } of this.#fresh) {
      if (versionId === null) continue
      const accounts = this.#known.get(versionId) ?? new Set<number>()
      this.#known.set(versionId, accounts.add(accountId))
    }
  }
}
