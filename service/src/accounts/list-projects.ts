import { sql } from 'kysely'
import type { Connection, Tx } from '../database/dialect.ts'
import { readRoute } from '../foundation/environments/route.ts'
import { containing, pageOf } from './list-page.ts'
import { isoTime } from '../foundation/clock.ts'

export interface ProjectView {
  name: string
  suspended: boolean
  billing_blocked: boolean
  created_at: string
  environments: {
    name: string
    balance: number
    held: number
    available: number
    /** Those that open something now. */
    keys: number
    monthly_budget?: number
    providers?: string[]
  }[]
}

/** Which projects, in which order, from where. Without a limit all of them. */
export interface ProjectQuery {
  /** Only the one of this name. */
  project: string | null
  at: number
  text?: string
  state?: 'active' | 'suspended' | 'billing_blocked'
  order?: 'name' | 'newest' | 'oldest'
  limit?: number
  /** What the last page ended with: a name, or a time and a name. */
  after?: [at: number, name: string] | null
}

/** Projects with their environments, what these have left, and how many keys work. */
export async function listProjects({ db }: Connection, args: ProjectQuery): Promise<ProjectView[]> {
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

/** The environments by project, of all projects or of those named. */
async function environmentsOf(db: Pick<Tx, 'selectFrom'>, names: string[] | null, at: number) {
  const found = new Map<string, ProjectView['environments']>()
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
    .where((where) => where.or([where('revoked_at', 'is', null), where('revoked_at', '>', at)]))
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', at)]))
    .$if(names !== null, (query) => query.where('project', 'in', names ?? []))
    .groupBy('environment_id')
    .execute()
  const keyCounts = new Map(keys.map((row) => [row.environment_id, Number(row.count)]))
  for (const { id, project, name, balance, held, monthly_budget, route } of environments) {
    const own = found.get(project) ?? []
    found.set(project, own)
    const budget = monthly_budget === null ? {} : { monthly_budget }
    const providers = readRoute(route)
    const limited = providers === null ? {} : { providers }
    own.push({ name, balance, held, available: balance - held, keys: keyCounts.get(id) ?? 0, ...budget, ...limited })
  }
  return found
}
