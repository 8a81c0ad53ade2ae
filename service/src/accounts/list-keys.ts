import { sql } from 'kysely'
import type { Connection, Tx } from '../database/engine/dialect.ts'
import { utcDay, utcMonth } from '../foundation/clock.ts'
import { keyView, type KeyView } from './key.ts'
import { containing, pageOf } from '../database/sql/expressions.ts'
import { workingKeys } from '../database/sql/prepared.ts'

/** Filters, order and position of a key list. */
export interface KeyQuery {
  project: string | null
  environment: string | null
  text?: string
  /** Whether the text may be a part of an id or of the key itself too; true by default. */
  ids?: boolean
  state?: 'active' | 'ended'
  mode?: 'live' | 'test'
  /** Only keys that have reached a ceiling. */
  full?: boolean
  /** Only keys that have spent the alert percentage of a ceiling; this percentage if their environment sets no alert. */
  nearPercent?: number
  order?: 'id' | 'newest' | 'oldest' | 'last_used'
  limit: number
  /** The last row of the previous page: the sorted value and the id. */
  after: [value: number, id: string] | null
  at: number
}

/** A page of keys with their spending. */
export async function listKeys({ db }: Connection, args: KeyQuery): Promise<KeyView[]> {
  const {
    project,
    environment,
    text,
    ids = true,
    state,
    mode,
    full = false,
    nearPercent,
    order = 'id',
    after,
    at,
  } = args
  const sorted = order === 'last_used' ? sql<number>`coalesce(keys.last_used_at, 0)` : sql<number>`keys.created_at`
  const down = order === 'newest' || order === 'last_used'
  const rows = await keysWithSpend(db, at)
    .$if(project !== null, (query) => query.where('keys.project', '=', project ?? ''))
    .$if(environment !== null, (query) => query.where('environments.name', '=', environment ?? ''))
    .$if(mode !== undefined, (query) => query.where('keys.mode', '=', mode ?? 'live'))
    .$if(text !== undefined, (query) =>
      query.where(containing(ids ? ['keys.label', 'keys.id', 'keys.display'] : ['keys.label'], text ?? '')),
    )
    .$if(state === 'active', (query) => query.where(workingKeys(at)))
    .$if(state === 'ended', (query) => query.where((eb) => eb.not(workingKeys(at)(eb))))
    .$if(full, (query) =>
      query.where((eb) =>
        eb.or([
          eb(eb('month.captured', '+', eb.ref('month.held')), '>=', eb.ref('keys.ceiling')),
          eb(eb('day.captured', '+', eb.ref('day.held')), '>=', eb.ref('keys.daily_ceiling')),
        ]),
      ),
    )
    .$if(nearPercent !== undefined, (query) => query.where(isNear(nearPercent ?? 0)))
    .$if(after !== null && order === 'id', (query) => query.where('keys.id', '>', after?.[1] ?? ''))
    .$if(after !== null && order !== 'id', (query) => query.where(pageOf(sorted, 'keys.id', after ?? [0, ''], down)))
    .$if(order !== 'id', (query) => query.orderBy(sorted, down ? 'desc' : 'asc'))
    .orderBy('keys.id', down ? 'desc' : 'asc')
    .limit(args.limit)
    .execute()
  return rows.map(viewOfRow)
}

function isNear(usualPercent: number) {
  const percent = sql`coalesce(environments.alert_ceiling_percent, ${usualPercent})`
  return sql<boolean>`((month.captured + month.held) * 100 >= keys.ceiling * ${percent}
    or (day.captured + day.held) * 100 >= keys.daily_ceiling * ${percent})`
}

/** Keys with their spending in the month and the day of the given time. */
export function keysWithSpend(db: Pick<Tx, 'selectFrom'>, at: number) {
  return db
    .selectFrom('keys')
    .innerJoin('environments', 'environments.id', 'keys.environment_id')
    .leftJoin('spend_periods as month', (join) =>
      join.onRef('month.spend_id', '=', 'keys.spend_id').on('month.period', '=', utcMonth(at)),
    )
    .leftJoin('spend_periods as day', (join) =>
      join.onRef('day.spend_id', '=', 'keys.spend_id').on('day.period', '=', utcDay(at)),
    )
    .selectAll('keys')
    .select(['environments.name as environment', 'month.captured as month_captured', 'month.held as month_held'])
    .select(['day.captured as day_captured', 'day.held as day_held'])
}

type KeyWithSpend = Awaited<ReturnType<ReturnType<typeof keysWithSpend>['executeTakeFirstOrThrow']>>

/** Converts such a row to the operators' view. */
export function viewOfRow(row: KeyWithSpend): KeyView {
  const thisMonth = (row.month_captured ?? 0) + (row.month_held ?? 0)
  return keyView(row, row.environment, { thisMonth, today: (row.day_captured ?? 0) + (row.day_held ?? 0) })
}
