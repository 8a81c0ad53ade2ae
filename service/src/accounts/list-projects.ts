import { type Selectable, sql } from 'kysely'
import type { Connection, Tx } from '../database/engine/dialect.ts'
import type { Tables } from '../database/tables/tables.ts'
import { readRoute } from '../foundation/environments/route.ts'
import { isoTime } from '../foundation/clock.ts'
import { containing, pageOf } from '../database/sql/expressions.ts'
import { workingKeys } from '../database/sql/prepared.ts'

/** Filters, order and position of a project list. Without a limit it has all projects. */
export interface ProjectQuery {
  /** Only the project with this name. */
  project: string | null
  at: number
  text?: string
  state?: 'active' | 'suspended' | 'billing_blocked'
  order?: 'name' | 'newest' | 'oldest'
  limit?: number
  /** The last row of the previous page: a name, or a time and a name. */
  after?: [at: number, name: string] | null
}

/** Projects with their environments, remaining credits and number of active keys. */
export async function listProjects({ db }: Connection, args: ProjectQuery) {
  const { project, text, state, order = 'name', limit, after } = args
  const byTime = order !== 'name'
  const down = order === 'newest'
  const projects = await db
    .selectFrom('projects')
    .selectAll()
    .$if(project !== null, (query) => query.where('name', '=', project ?? ''))
    .$if(text !== undefined, (query) => query.where(containing(['name'], text ?? '')))
    .$if(state === 'suspended', (query) => query.where('suspended', '=', 1))
    .$if(state === 'billing_blocked', (query) => query.where('billing_blocked', '=', 1))
    .$if(state === 'active', (query) => query.where('suspended', '=', 0).where('billing_blocked', '=', 0))
    .$if(Boolean(after) && byTime, (query) => query.where(pageOf(sql`created_at`, 'name', after ?? [0, ''], down)))
    .$if(Boolean(after) && !byTime, (query) => query.where('name', '>', after?.[1] ?? ''))
    .$if(byTime, (query) => query.orderBy('created_at', down ? 'desc' : 'asc'))
    .orderBy('name', down ? 'desc' : 'asc')
    .$if(limit !== undefined, (query) => query.limit(limit ?? 0))
    .execute()
  const environments = await environmentsOf(
    db,
    limit === undefined && project === null ? null : projects.map(({ name }) => name),
    args.at,
  )
  return projects.map((row) => ({
    name: row.name,
    suspended: row.suspended === 1,
    billing_blocked: row.billing_blocked === 1,
    created_at: isoTime(row.created_at),
    environments: environments.get(row.name) ?? [],
  }))
}

type EnvironmentView = ReturnType<typeof environmentView>

/** `keys` is the number of active keys. */
function environmentView(
  { name, balance, held, monthly_budget, route }: Selectable<Tables['environments']>,
  keys: number,
) {
  const budget = monthly_budget === null ? {} : { monthly_budget }
  const providers = readRoute(route)
  const limited = providers === null ? {} : { providers }
  return { name, balance, held, available: balance - held, keys, ...budget, ...limited }
}

/** The environments by project, for all or for the named projects. */
async function environmentsOf(db: Pick<Tx, 'selectFrom'>, names: string[] | null, at: number) {
  const found = new Map<string, EnvironmentView[]>()
  if (names?.length === 0) return found
  const environments = await db
    .selectFrom('environments')
    .selectAll()
    .$if(names !== null, (query) => query.where('project', 'in', names ?? []))
    .orderBy('name')
    .execute()
  const keys = await db
    .selectFrom('keys')
    .select(['environment_id', (count) => count.fn.countAll<number>().as('count')])
    .where(workingKeys(at))
    .$if(names !== null, (query) => query.where('project', 'in', names ?? []))
    .groupBy('environment_id')
    .execute()
  const keyCounts = new Map(keys.map((row) => [row.environment_id, Number(row.count)]))
  for (const environment of environments) {
    const own = found.get(environment.project) ?? []
    found.set(environment.project, own)
    own.push(environmentView(environment, keyCounts.get(environment.id) ?? 0))
  }
  return found
}
