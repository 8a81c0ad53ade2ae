import type { ExpressionBuilder } from 'kysely'
import type { Connection } from '../../database/dialect.ts'
import type { Tables } from '../../database/tables/tables.ts'
import { utcMonth } from '../../foundation/clock.ts'
import { accountSpendId } from '../decision/ledger-snapshot.ts'

export interface LimitsReached {
  /** Environments without credits that a live key could spend. */
  empty: { project: string; environment: string }[]
  /** Environments whose monthly budget is spent. */
  budgets: { project: string; environment: string; budget: number }[]
}

interface Ask {
  project: string | null
  at: number
  limit: number
}

/** Environments that can spend nothing more for now: without credits, or at their budget. */
export async function limitsReached(database: Connection, ask: Ask): Promise<LimitsReached> {
  return { empty: await emptyEnvironments(database, ask), budgets: await spentBudgets(database, ask) }
}

async function emptyEnvironments({ db }: Connection, { project, at, limit }: Ask): Promise<LimitsReached['empty']> {
  return db
    .selectFrom('environments')
    .select(['environments.project', 'environments.name as environment'])
    .whereRef('environments.balance', '<=', 'environments.held')
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('keys')
          .select('keys.id')
          .whereRef('keys.environment_id', '=', 'environments.id')
          .where('keys.mode', '=', 'live')
          .where(isAlive(at)),
      ),
    )
    .$if(project !== null, (query) => query.where('environments.project', '=', project ?? ''))
    .orderBy('environments.id')
    .limit(limit)
    .execute()
}

/** Neither revoked nor expired. */
function isAlive(at: number) {
  return (eb: ExpressionBuilder<Tables, 'keys'>) =>
    eb.and([
      eb.or([eb('keys.revoked_at', 'is', null), eb('keys.revoked_at', '>', at)]),
      eb.or([eb('keys.expires_at', 'is', null), eb('keys.expires_at', '>', at)]),
    ])
}

async function spentBudgets({ db }: Connection, { project, at, limit }: Ask): Promise<LimitsReached['budgets']> {
  const rows = await db
    .selectFrom('environments')
    .select(['id', 'project', 'name as environment', 'monthly_budget as budget'])
    .where('monthly_budget', 'is not', null)
    .$if(project !== null, (query) => query.where('project', '=', project ?? ''))
    .execute()
  if (rows.length === 0) return []
  const spent = await db
    .selectFrom('spend_periods')
    .select(['spend_id', 'captured', 'held'])
    .where('period', '=', utcMonth(at))
    .where('spend_id', 'like', 'environment %')
    .execute()
  const sums = new Map(spent.map((row) => [row.spend_id, row.captured + row.held]))
  return rows
    .flatMap(({ id, budget, ...named }) =>
      budget !== null && (sums.get(accountSpendId(id)) ?? 0) >= budget ? [{ ...named, budget }] : [],
    )
    .slice(0, limit)
}
