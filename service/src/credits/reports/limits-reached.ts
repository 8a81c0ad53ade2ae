import type { Connection } from '../../database/engine/dialect.ts'
import { workingKeys } from '../../database/sql/prepared.ts'
import { utcMonth } from '../../foundation/clock.ts'
import { environmentSpendId } from '../decision/ledger-snapshot.ts'

export interface LimitsReached {
  /** Environments with live keys but no credits. */
  empty: { project: string; environment: string }[]
  /** Environments whose monthly budget is spent, or nearly. */
  budgets: { project: string; environment: string; budget: number; spent: number }[]
  /** Environments whose balance is below their alert threshold. */
  low: { project: string; environment: string; balance: number; below: number }[]
}

/** The part of a budget from which it is reported. */
const nearPart = 0.9

interface Ask {
  project: string | null
  at: number
  limit: number
}

/** Environments that cannot spend, or soon cannot: without credits, at their budget, or below their alert threshold. */
export async function limitsReached(database: Connection, ask: Ask): Promise<LimitsReached> {
  const [empty, budgets] = [await emptyEnvironments(database, ask), await spentBudgets(database, ask)]
  return { empty, budgets, low: await lowEnvironments(database, ask) }
}

/** Environments below their own threshold; without a threshold, only an empty environment counts as low. */
function lowEnvironments({ db }: Connection, { project, limit }: Ask): Promise<LimitsReached['low']> {
  return db
    .selectFrom('environments')
    .select(['project', 'name as environment', 'balance', 'alert_credits_below as below'])
    .where('alert_credits_below', 'is not', null)
    .whereRef('balance', '<', 'alert_credits_below')
    .whereRef('balance', '>', 'held')
    .$narrowType<{ below: number }>()
    .$if(project !== null, (query) => query.where('project', '=', project ?? ''))
    .orderBy('id')
    .limit(limit)
    .execute()
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
          .where(workingKeys(at)),
      ),
    )
    .$if(project !== null, (query) => query.where('environments.project', '=', project ?? ''))
    .orderBy('environments.id')
    .limit(limit)
    .execute()
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
    .flatMap(({ id, budget, ...named }) => {
      const captured = sums.get(environmentSpendId(id)) ?? 0
      return budget !== null && captured >= budget * nearPart ? [{ ...named, budget, spent: captured }] : []
    })
    .toSorted((a, b) => b.spent / b.budget - a.spent / a.budget)
    .slice(0, limit)
}

/** Results of the newest calls. */
interface RecentFailures {
  calls: number
  /** Calls that failed with 5xx, here or at a provider. The code is theirs, or of refused calls if none failed. */
  failures: number
  /** The most frequent failure code; null if none failed. */
  code: string | null
}

const callsAtMost = 5_000

/** Results of the newest live calls since a given time. The number of rows is limited, because this is asked often. */
export async function recentFailures(
  { db }: Connection,
  { project, environment, since }: { project: string; environment: string; since: number },
): Promise<RecentFailures> {
  const rows = await db
    .selectFrom((from) =>
      from
        .selectFrom('calls')
        .select(['account_id', 'mode', 'status', 'code', 'repeats'])
        .where('at', '>=', since)
        .orderBy('at', 'desc')
        .limit(callsAtMost)
        .as('newest'),
    )
    .innerJoin('environments', 'environments.id', 'newest.account_id')
    .select(['newest.status', 'newest.code'])
    .select((eb) => eb.fn.countAll<number>().as('calls'))
    .where('newest.mode', '=', 'live')
    .where('environments.project', '=', project)
    .where('environments.name', '=', environment)
    .groupBy(['newest.status', 'newest.code'])
    .execute()
  const counted = rows.map((row) => ({ ...row, calls: Number(row.calls) }))
  const byCalls = counted.filter(({ status }) => status >= 400 && status !== 404).toSorted((a, b) => b.calls - a.calls)
  const failed = byCalls.filter(({ status }) => status >= 500)
  const sum = (of: typeof counted) => of.reduce((total, { calls }) => total + calls, 0)
  return { calls: sum(counted), failures: sum(failed), code: (failed[0] ?? byCalls[0])?.code ?? null }
}
