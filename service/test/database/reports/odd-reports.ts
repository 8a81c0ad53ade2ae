import { sql } from 'kysely'
import type { Connection } from '../../../src/database/engine/dialect.ts'
import { report, single, type Subject } from '../../../src/database/engine/operation.ts'

const count = (end: number) => sql`with recursive numbers(number) as
  (select 1 union all select number + 1 from numbers where number < ${sql.lit(end)})`

/** Reads the store, then never ends. */
async function endless({ db }: Connection, _args: null): Promise<void> {
  await db.selectFrom('settings').select('name').execute()
  await sql`${count(Number.MAX_SAFE_INTEGER)} select count(*) from numbers`.execute(db)
}

/** Sorts more than the memory limit of a process. */
async function vast({ db }: Connection, _args: null): Promise<void> {
  await sql`${count(1_000_000)} select randomblob(1000000) as bytes from numbers order by bytes`.execute(db)
}

async function writing({ db }: Connection, _args: null): Promise<void> {
  await sql`delete from settings`.execute(db)
}

/** Reads for some milliseconds. */
async function slow({ db }: Connection, _args: null): Promise<void> {
  await db.selectFrom('settings').select('name').execute()
  await sql`${count(30_000)} select count(*) from numbers`.execute(db)
}

async function write({ db }: Connection, { value }: { value: string }): Promise<void> {
  await db
    .insertInto('settings')
    .values({ name: 'odd', value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}

async function seen({ db }: Connection, _args: null): Promise<string | undefined> {
  return (await db.selectFrom('settings').select('value').where('name', '=', 'odd').executeTakeFirst())?.value
}

/** The operations of a store that only the report tests use. */
const oddOperations = {
  endless: report(endless),
  vast: report(vast),
  writing: report(writing),
  write: single(write),
  seen: report(seen),
  slow: report(slow),
  slowShort: report(slow, 'short'),
  endlessLong: report(endless, 'long'),
}
export type OddStore = Subject<typeof oddOperations>
export const operations = { odd: oddOperations }
