import type { ExpressionBuilder } from 'kysely'
import type { Database } from '../../database/dialect.ts'
import type { Tables } from '../../database/tables.ts'
import { utcDay, utcMonth } from '../../foundation/clock.ts'
import { accountSpendId } from '../decision/ledger-snapshot.ts'

export interface LimitsReached {
  keys: {
    id: string
    display: string
    label: string | null
    project: string
    environment: string
    /** Which of its ceilings is full; the month's where both are. */
    period: 'month' | 'day'
  }[]
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

/** Who can spend nothing more for now: keys at a ceiling, environments without credits or at their budget. */
export async function limitsReached(database: Database, ask: Ask): Promise<LimitsReached> {
  const keys = await fullKeys(database, ask)
  return { keys, empty: await emptyEnvironments(database, ask), budgets: await spentBudgets(database, ask) }
}

async function fullKeys({ db }: Database, { project, at, limit }: Ask): Promise<LimitsReached['keys']> {
  const rows = await db
    .selectFrom('keys')
    .innerJoin('environments', 'environments.id', 'keys.environment_id')
    .leftJoin('key_months as month', (join) =>
      join.onRef('month.spend_id', '=', 'keys.spend_id').on('month.month', '=', utcMonth(at)),
    )
    .leftJoin('key_months as day', (join) =>
      join.onRef('day.spend_id', '=', 'keys.spend_id').on('day.month', '=', utcDay(at)),
    )
    .select(['keys.id', 'keys.display', 'keys.label', 'keys.project', 'environments.name as environment'])
    .select(['keys.ceiling', 'month.captured', 'month.held'])
    .where('keys.mode', '=', 'live')
    .where((eb) => isAlive(at)(eb))
    .where((eb) =>
      eb.or([
        eb(eb('month.captured', '+', eb.ref('month.held')), '>=', eb.ref('keys.ceiling')),
        eb(eb('day.captured', '+', eb.ref('day.held')), '>=', eb.ref('keys.daily_ceiling')),
      ]),
    )
    .$if(project !== null, (query) => query.where('keys.project', '=', project ?? ''))
    .orderBy('keys.id')
    .limit(limit)
    .execute()
  return rows.map(({ ceiling, captured, held, ...key }) => ({
    ...key,
    period: ceiling !== null && (captured ?? 0) + (held ?? 0) >= ceiling ? 'month' : 'day',
  }))
}

async function emptyEnvironments({ db }: Database, { project, at, limit }: Ask): Promise<LimitsReached['empty']> {
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

async function spentBudgets({ db }: Database, { project, at, limit }: Ask): Promise<LimitsReached['budgets']> {
  const rows = await db
    .selectFrom('environments')
    .select(['id', 'project', 'name as environment', 'monthly_budget as budget'])
    .where('monthly_budget', 'is not', null)
    .$if(project !== null, (query) => query.where('project', '=', project ?? ''))
    .execute()
  if (rows.length === 0) return []
  const spent = await db
    .selectFrom('key_months')
    .select(['spend_id', 'captured', 'held'])
    .where('month', '=', utcMonth(at))
    .where('spend_id', 'like', 'environment %')
    .execute()
  const sums = new Map(spent.map((row) => [row.spend_id, row.captured + row.held]))
  return rows
    .flatMap(({ id, budget, ...named }) =>
      budget !== null && (sums.get(accountSpendId(id)) ?? 0) >= budget ? [{ ...named, budget }] : [],
    )
    .slice(0, limit)
}
