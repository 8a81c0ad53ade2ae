import type { Database, Tx } from '../../database/dialect.ts'
import { Failure } from '../../foundation/failure.ts'

export interface AccountName {
  project: string
  environment: string
}

export interface CreditBalance {
  /** Granted minus captured. */
  balance: number
  held: number
  /** What a call may still spend: balance minus held. */
  available: number
}

/** The account of an environment, or `not_found`. With `lock` no other settlement moves it until the transaction ends. */
export async function findAccount(
  tx: Database['db'] | Tx,
  { project, environment }: AccountName,
  lock?: Database['dialect'],
): Promise<{ id: number; balance: number; held: number }> {
  const row = await tx
    .selectFrom('environments')
    .select(['id', 'balance', 'held'])
    .where('project', '=', project)
    .where('name', '=', environment)
    .$if(lock === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst()
  if (row) return row
  const detail = `No environment ${project}/${environment}; it is made with its first key.`
  throw new Failure('not_found', { detail })
}

/** The three figures of an account. */
export function balanceOf({ balance, held }: { balance: number; held: number }): CreditBalance {
  return { balance, held, available: balance - held }
}
