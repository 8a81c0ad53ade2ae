import type { Dialect, Tx } from '../dialect.ts'
import { rawStatement, runRawStatement } from './raw-statement.ts'

/** A number of calls to a provider in a month. */
export interface CallCount {
  provider: string
  month: string
  calls: number
}

const countMany = rawStatement(`
  insert into provider_months (provider, month, calls) values (?, ?, ?)
  on conflict (provider, month) do update set calls = provider_months.calls + excluded.calls`)

/**
 * Counts calls that were already made to providers without a limit, in the same commit as the data that one of them
 * returned.
 */
export async function countProviderCalls(tx: Tx, dialect: Dialect, counts: readonly CallCount[] = []): Promise<void> {
  for (const { provider, month, calls } of counts)
    await runRawStatement(tx, countMany, dialect, [provider, month, calls])
}
