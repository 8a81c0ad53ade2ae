import { sql, type RawBuilder } from 'kysely'
import type { Connection } from '../../database/engine/dialect.ts'
import type { PriceBookRow } from '../../database/tables/credits.ts'
import { CompiledBook } from '../prices/compiled-book.ts'
import type { PriceLists } from '../prices/price-book.ts'
import { dayMs } from '../../foundation/clock.ts'
import { readNote } from '../prices/price-note.ts'
import { priceRange, type KnownCall } from '../prices/price-range.ts'

interface Asked {
  since: number
  until: number
  /** The book whose prices are wanted. */
  lists: PriceLists
  /** The configured prices: book 0. */
  variables: PriceLists
  hasFreeRepeats: boolean
}

/** The cost of answered calls, and the least and the most that another book would have charged for them. */
export interface Cost {
  calls: number
  charged: number
  atLeast: number
  atMost: number
}

export interface ProjectCost extends Cost {
  project: string
}

/** Calls with the same facts. */
interface Group extends Omit<KnownCall, 'asked' | 'note' | 'thin'> {
  price: string | null
  thin: number | null
  /** The optional parts and `bypass_cache`, as bits; null for a call without details. */
  options: number | null
  calls: number
}

/** The answered calls of a time, with the costs that another book would have made. Replays cost nothing with any book. */
export async function pricePreview(
  connection: Connection,
  { since, until, lists, variables, hasFreeRepeats }: Asked,
): Promise<{ projects: ProjectCost[]; removedCalls: number }> {
  const { db } = connection
  const next = new CompiledBook(-1, 0, lists)
  const stored = await db.selectFrom('price_books').selectAll().execute()
  const books = new Map([
    [0, new CompiledBook(0, 0, variables)],
    ...stored.map((row) => [row.version, bookOf(row)] as const),
  ])
  const projects = new Map<string, ProjectCost>()
  for (const group of await groupsOf(connection, since, until)) {
    const { project, credits, calls } = group
    const call = callOf(group)
    const old = books.get(call.note?.book ?? -1) ?? null
    const { least, most } = priceRange(call, { old, next, hasFreeRepeats })
    const cost = { calls, charged: credits * calls, atLeast: least * calls, atMost: most * calls }
    projects.set(project, { project, ...sumOfCosts([projects.get(project) ?? nothing, cost]) })
  }
  return { projects: [...projects.values()], removedCalls: await removedCalls(connection, since, until) }
}

const nothing: Cost = { calls: 0, charged: 0, atLeast: 0, atMost: 0 }

/** Adds costs up. */
export function sumOfCosts(costs: readonly Cost[]): Cost {
  const sum = (read: (cost: Cost) => number) => costs.reduce((total, cost) => total + read(cost), 0)
  return {
    calls: sum((cost) => cost.calls),
    charged: sum((cost) => cost.charged),
    atLeast: sum((cost) => cost.atLeast),
    atMost: sum((cost) => cost.atMost),
  }
}

/** The options of a call that a price may depend on, in the words of its explanation. */
const options = [
  'bypass_cache=true',
  'include_contact_info=true',
  'include_network_info=true',
  'get_verification_details=true',
] as const

async function groupsOf({ db }: Connection, since: number, until: number): Promise<Group[]> {
  const has = (option: string, index: number): RawBuilder<unknown> =>
    sql`case when explanation like ${`%"${option}"%`} then ${sql.lit(2 ** index)} else 0 end`
  const bits = sql`case when explanation is null then null else ${sql.join(options.map(has), sql` + `)} end`
  const { rows } = await sql<Group>`
    select project, environments.name as environment, calls.kind as kind, source, price, credits, thin,
      ${bits} as options, count(*) as calls
    from calls join environments on environments.id = calls.account_id
      left join versions on versions.id = calls.version_id
      left join call_details on call_details.request_id = calls.request_id
    where calls.at >= ${since} and calls.at < ${until} and mode = 'live' and status = 200 and replay_of is null
      and (price is not null or credits > 0)
    group by 1, 2, 3, 4, 5, 6, 7, 8`.execute(db)
  return rows.map((row) => ({ ...row, credits: Number(row.credits), calls: Number(row.calls) }))
}

function callOf({ price, thin, options: bits, ...facts }: Group): KnownCall {
  const has = (option: (typeof options)[number]) => ((bits ?? 0) & (2 ** options.indexOf(option))) > 0
  return {
    ...facts,
    thin: thin === null ? null : thin === 1,
    note: readNote(price),
    asked:
      bits === null
        ? null
        : {
            bypass: has('bypass_cache=true'),
            include: {
              contact: has('include_contact_info=true'),
              network: has('include_network_info=true'),
              verifications: has('get_verification_details=true'),
            },
          },
  }
}

function bookOf({ version, valid_from, lines, parts }: PriceBookRow): CompiledBook {
  // Written by addPriceBook.
  const lists = { lines: JSON.parse(lines) as PriceLists['lines'], parts: JSON.parse(parts) as PriceLists['parts'] }
  return new CompiledBook(version, valid_from, lists)
}

/** The number of calls that retention has removed: those in the sums of days minus those in the call log. */
async function removedCalls({ db }: Connection, since: number, until: number): Promise<number> {
  const isWanted = sql`mode = 'live' and status = 200`
  const { rows } = await sql<{ summed: number; kept: number }>`
    select (select coalesce(sum(calls), 0) from environment_days
        where day >= ${since} and day < ${until} and ${isWanted}) as summed,
      (select count(*) + coalesce(sum(repeats), 0) from calls where at >= ${since} and at < ${until} and ${isWanted}
        and at - at % ${sql.lit(dayMs)} in (select day from summed_days where what = 'calls')) as kept`.execute(db)
  const [row] = rows
  return Math.max(0, Number(row?.summed ?? 0) - Number(row?.kept ?? 0))
}
