import type { Dialect, Tx } from '../dialect.ts'
import { rawStatement, runRawStatement } from './raw-statement.ts'

/** So many calls of a provider in a month. */
export interface CallCount {
  provider: string
  month: string
  calls: number
}

const countMany = rawStatement(`
  insert into provider_months (provider, month, calls) values (?, ?, ?)
  on conflict (provider, month) do update set calls = provider_months.calls + excluded.calls`)

/** Counts calls that were made already, of providers without a limit: with what one of them brought, in the same commit. */
export async function countProviderCalls(tx: Tx, dialect: Dialect, counts: readonly CallCount[] = []): Promise<void> {
  for (const { provider, month, calls } of counts)
    await runRawStatement(tx, countMany, dialect, [provider, month, calls])
}
