import { callCountOperations } from '../../src/providers/operations.ts'
import { StatementSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import type { Connection, Durability } from '../../src/database/engine/dialect.ts'
import { Executor } from '../../src/database/sqlite/executor.ts'
import { Failure } from '../../src/foundation/failure.ts'
import { recordOperations } from '../../src/records/operations.ts'
import { openLedger, settleAll } from '../credits/ledger.ts'
import { charge } from '../credits/requests.ts'
import { engines, type OpenDatabase } from '../harness/engines.ts'
import { asking, fetched, slugOf } from '../records/store-fixture.ts'
import { sqliteDialect } from '../../src/database/sqlite/connection/sqlite.ts'

const [engine] = engines

/** The operations of concurrent live misses: of all kinds, in any order. */
function missesAtOnce(database: OpenDatabase, environmentId: number) {
  const month = { provider: 'mirror', month: '2026-11', limit: 100, calls: 1, ahead: 0 }
  return [
    callCountOperations.spendBudget(database, month),
    settleAll(database, [charge('r1', { environmentId }), charge('r2', { environmentId })]),
    recordOperations.saveFetch(database, fetched({ slug: 'ada', number: 1 })),
    recordOperations.saveFetch(database, fetched({ slug: 'bea', number: 2 })),
    callCountOperations.spendBudget(database, month),
  ]
}

async function balanceOf({ db }: OpenDatabase): Promise<number> {
  return (await db.selectFrom('environments').select('balance').executeTakeFirstOrThrow()).balance
}

test('concurrent operations of any kind share one commit', async () => {
  if (!engine) throw new Error('there is no embedded engine')
  const { database, environmentId } = await openLedger(engine, 100)
  const run = vi.spyOn(StatementSync.prototype, 'run')

  const ended = await Promise.all(missesAtOnce(database, environmentId))

  const commits = run.mock.contexts.filter((statement) => (statement as StatementSync).sourceSQL === 'commit')
  run.mockRestore()
  expect(commits).toHaveLength(1)
  const counted = { spending: 'ok', granted: 1 }
  expect(ended).toMatchObject([counted, [{ outcome: 'settled' }, { outcome: 'settled' }], {}, {}, counted])
  expect(await balanceOf(database)).toBe(98)
})

test('a crowd of fetches does not delay a later charge: the charge goes before those that still wait', async () => {
  if (!engine) throw new Error('there is no embedded engine')
  const { database, environmentId } = await openLedger(engine, 100)
  const ended: string[] = []
  const saves = Array.from({ length: 400 }, async (_, index) => {
    await recordOperations.saveFetch(database, fetched({ slug: `ada-${index}`, number: index + 1 }))
    ended.push('save')
  })
  await saves[0]

  await settleAll(database, [charge('r1', { environmentId })])
  ended.push('charge')
  await Promise.all(saves)

  // At most two transactions: the running one, and its own.
  expect(ended.indexOf('charge')).toBeLessThan(300)
})

test('a failing operation affects no other, and none of the others runs twice', async () => {
  if (!engine) throw new Error('there is no embedded engine')
  const { database, environmentId } = await openLedger(engine, 100)
  // Violates a NOT NULL column after other rows of the operation were written.
  const broken = { ...fetched({ slug: 'cay', number: 3 }), provider: undefined as unknown as string }

  const failing = recordOperations.saveFetch(database, broken).catch(() => 'failed')
  const others = missesAtOnce(database, environmentId)

  expect(await failing).toBe('failed')
  await Promise.all(others)
  expect(await balanceOf(database)).toBe(98)
  expect(await callCountOperations.budgetStates(database, { month: '2026-11' })).toEqual([
    { provider: 'mirror', calls: 2 },
  ])
  expect((await recordOperations.readRecord(database, asking(slugOf('bea')))).copy).not.toBeNull()
  expect(await database.db.selectFrom('entities').selectAll().where('key', 'like', '%3').execute()).toEqual([])
})

test('an operation that arrives during a long transaction waits for its end: it is not rolled back with it, and reads none of its changes', async () => {
  if (!engine) throw new Error('there is no embedded engine')
  const { database, environmentId } = await openLedger(engine, 100)
  const begun = Promise.withResolvers<void>()

  const long = database.write(async ({ db: tx }) => {
    await tx.updateTable('aliases').set({ withdrawn: 0 }).execute()
    begun.resolve()
    for (let turn = 0; turn < 5; turn++) await nextTurn()
    await tx
      .insertInto('suppressions')
      .values({ ...suppression, created_at: 0 })
      .execute()
    throw new Error('undone')
  })
  await begun.promise
  const charged = settleAll(database, [charge('r1', { environmentId })])
  const read = recordOperations.readRecord(database, { ...asking(slugOf('ada')), suppressionHash: suppression.hash })

  await expect(long).rejects.toThrow('undone')
  expect(await charged).toMatchObject([{ outcome: 'settled' }])
  expect(await read).toMatchObject({ suppressed: false })
  expect(await balanceOf(database)).toBe(99)
})

const suppression = { hash: 'of ada', kind: 'people', origin: 'operator', reason: null } as const

/** An executor over an idle connection, with the list of started operations. */
function idleExecutor() {
  const begun: string[] = []
  const connection = { db: { run: () => [] } as unknown as Connection['db'], dialect: sqliteDialect }
  const executor = new Executor(connection)
  const read = (name: string) => executor.read(async () => void begun.push(name))
  const charge = () => executor.share({ durability: 'synced', isCharge: true }, async () => void begun.push('charge'))
  const save = (name: string, durability: Durability = 'synced') =>
    executor.share({ durability }, async () => void begun.push(name))
  return { begun, executor, read, charge, save }
}

test('a charge goes before the reads that arrived with it, and before waiting ones', async () => {
  const { begun, read, charge } = idleExecutor()
  const reads = Array.from({ length: 400 }, (_, index) => read(`read-${index}`))
  await charge()
  expect(begun[0]).toBe('charge')

  await reads[0]
  const before = begun.length
  await charge()

  expect(begun.indexOf('charge', 1)).toBeLessThan(before + 32)
  await Promise.all(reads)
  expect(begun.filter((name) => name !== 'charge')).toEqual(reads.map((_, index) => `read-${index}`))
})

test('all other operations start in order, a few per turn of the event loop', async () => {
  const { begun, read } = idleExecutor()
  const reads = Array.from({ length: 80 }, (_, index) => read(`read-${index}`))

  const perTurn: number[] = []
  while (begun.length < 80) {
    const before = begun.length
    await nextTurn()
    perTurn.push(begun.length - before)
  }

  await Promise.all(reads)
  expect(begun).toEqual(reads.map((_, index) => `read-${index}`))
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(32)
})

test('a single operation does not wait for a turn of the event loop', async () => {
  const { begun, read } = idleExecutor()
  let turned = false
  setImmediate(() => (turned = true))

  await read('read')

  expect({ begun, turned }).toEqual({ begun: ['read'], turned: false })
})

test('a charge goes before all waiting writes, and synced writes before unsynced ones', async () => {
  const { begun, charge, save } = idleExecutor()
  const all = [save('fault', 'with the next'), save('miss'), charge()]

  await Promise.all(all)

  expect(begun).toEqual(['charge', 'miss', 'fault'])
})

test('a synced write requested after another has ended is synced, even if unsynced ones still wait', async () => {
  const levels: string[] = []
  const { executor } = openWatched(levels)
  let spun = 0
  const slow = () => executor.share({ durability: 'with the next' }, async () => void (spun += spinMs(5)))
  const others = Array.from({ length: 20 }, slow)
  const ended = others[0]?.then(() => executor.share({ durability: 'synced' }, async () => levels.push('synced write')))

  await Promise.all([...others, ended])

  // It runs in a transaction at level FULL.
  const begin = levels.lastIndexOf('begin', levels.indexOf('synced write'))
  expect(levels.slice(0, begin).findLast((text) => text.startsWith('pragma'))).toBe('pragma synchronous = full')
  expect(spun).toBeGreaterThan(0)
})

test('a charge waits for a few saves at most, however many of them wait together', async () => {
  const { begun, executor, charge } = idleExecutor()
  const charged = Promise.withResolvers<void>()
  const saves = Array.from({ length: 20 }, (_, index) =>
    executor.share({ durability: 'with the next' }, async () => {
      begun.push(`save-${spinMs(1)}`)
      if (index === 0) charged.resolve(charge())
    }),
  )

  await Promise.all([...saves, charged.promise])

  expect(begun.indexOf('charge')).toBe(5)
})

test('work of many steps lets a charge run between its steps, however it requests them', async () => {
  const { begun, read, charge } = idleExecutor()
  const step = async (name: string) => {
    // An operation that calls others requests its next step some promises later.
    for (let depth = 0; depth < 10; depth++) await Promise.resolve()
    await read(name)
  }
  const long = async () => {
    for (let index = 0; index < 1_000; index++) await step(`step-${index}`)
  }
  const running = long()
  const charged = nextTurn().then(charge)

  await Promise.all([running, charged])

  expect(begun.indexOf('charge')).toBeLessThan(500)
})

test('work that throws before its start rejects with its error, and later work runs', async () => {
  const { executor, read } = idleExecutor()
  const broken = executor.read(() => {
    throw new Error('broken')
  })
  const after = read('after')

  await expect(broken).rejects.toThrow('broken')
  await expect(after).resolves.toBeUndefined()
})

test.each(['single', 'write', 'share'] as const)(
  'nothing is answered for a commit that turns out to be lost: %s',
  async (kind) => {
    const onCommit = () => {
      throw new Failure('store_unavailable', { retryAfterSeconds: 5 })
    }
    const { executor } = openWatched([], onCommit)
    const work = async () => 'done'

    const answer = kind === 'share' ? executor.share({ durability: 'synced' }, work) : executor[kind](work)

    await expect(answer).rejects.toMatchObject({ code: 'store_unavailable' })
    expect(await executor.read(work)).toBe('done')
  },
)

/** An executor over a connection that only records its statements. */
function openWatched(statements: string[], onCommit?: () => void) {
  const run = (text: string) => {
    statements.push(text)
    return []
  }
  const connection = { db: { run } as unknown as Connection['db'], dialect: sqliteDialect }
  return { executor: new Executor(connection, onCommit) }
}

function spinMs(ms: number): number {
  const until = performance.now() + ms
  while (performance.now() < until);
  return ms
}
