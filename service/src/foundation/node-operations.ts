import type { Database } from './database/dialect.ts'

/** Notes that a node is alive and tells how many are. Time is the database's own business here: one clock for all nodes. */
async function beat({ db }: Database, args: { id: string; at: number; aliveWithinMs: number }): Promise<number> {
  await db
    .insertInto('nodes')
    .values({ id: args.id, seen_at: args.at })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: args.at }))
    .execute()
  const { count } = await db
    .selectFrom('nodes')
    .select((of) => of.fn.countAll<number>().as('count'))
    .where('seen_at', '>', args.at - args.aliveWithinMs)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** A node that stops says so, and its share of the limits goes to the others. Long-dead ones are swept out with it. */
async function endNode({ db }: Database, args: { id: string; deadBefore: number }): Promise<void> {
  await db
    .deleteFrom('nodes')
    .where((of) => of.or([of('id', '=', args.id), of('seen_at', '<', args.deadBefore)]))
    .execute()
}

/** Keeps a value under a name unless there is one; gives what is kept. */
async function ensureSetting({ db }: Database, args: { name: string; value: string }): Promise<string> {
  await db
    .insertInto('settings')
    .values(args)
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  const row = await db.selectFrom('settings').select('value').where('name', '=', args.name).executeTakeFirstOrThrow()
  return row.value
}

async function readSetting({ db }: Database, args: { name: string }): Promise<string | null> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', args.name).executeTakeFirst()
  return row?.value ?? null
}

async function writeSetting({ db }: Database, args: { name: string; value: string }): Promise<void> {
  await db
    .insertInto('settings')
    .values(args)
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: args.value }))
    .execute()
}

/** The cheapest proof that the store answers. */
async function ping({ db }: Database, _args: null): Promise<'ok'> {
  await db.selectFrom('settings').select('name').limit(1).execute()
  return 'ok'
}

export const nodeOperations = { beat, endNode, ensureSetting, readSetting, writeSetting, ping }
export type NodeOperations = typeof nodeOperations
