import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeEvents } from '../../src/events/outbox/event-upkeep.ts'
import { readEvents } from '../../src/events/outbox/read-events.ts'
import type { NewEvent } from '../../src/events/outbox/event.ts'
import { addEnvironment } from '../credits/ledger.ts'
import { noon } from '../credits/requests.ts'
import { engines, onPostgres, type TestDatabase } from '../harness/engines.ts'

const low = (environmentId: number | null, balance: number): NewEvent => ({
  type: 'credits.low',
  at: noon,
  environmentId,
  data: { balance, threshold: 10 },
})

describe.each(engines)('events on $name', (engine) => {
  let database: TestDatabase
  let lastName = 0
  const environment = () => addEnvironment(database, { project: `p${(lastName += 1)}`, environment: 'production' }, 0)
  const write = (...events: NewEvent[]) => database.write(({ db: tx }) => writeEvents(tx, database.dialect, events))
  const read = (environmentId: number, after = 0, limit = 100) =>
    readEvents(database, { environmentId, after, limit, now: noon })
  const balances = (events: Awaited<ReturnType<typeof read>>) =>
    events.map(({ event }) => (event.data as { balance: number }).balance)
  beforeAll(async () => {
    database = await engine.open()
  })
  afterAll(() => database.close())

  test('an event is read in its public form, only by its own environment', async () => {
    const [own, other] = [await environment(), await environment()]
    await write(low(own, 3))

    const [first] = await read(own)

    expect(first?.event).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
      type: 'credits.low',
      at: '2026-11-14T12:00:00.000Z',
      project: expect.stringMatching(/^p\d+$/),
      environment: 'production',
      data: { balance: 3, threshold: 10 },
    })
    expect(await read(other)).toEqual([])
  })

  test('an event of the whole service is read by every environment', async () => {
    const environmentId = await environment()
    await write({ type: 'provider.down', at: noon, environmentId: null, data: { provider: 'directory', reason: null } })

    const types = (await read(environmentId)).map(({ event }) => [event.type, event.project, event.environment])

    expect(types).toContainEqual(['provider.down', null, null])
    await database.db.deleteFrom('events').where('account_id', 'is', null).execute()
  })

  test('pages follow each other without a gap or a duplicate, while more is written', async () => {
    const environmentId = await environment()
    await write(...[1, 2, 3].map((balance) => low(environmentId, balance)))
    const seen: number[] = []
    let after = 0
    for (let page = 0; page < 6; page++) {
      const events = await read(environmentId, after, 2)
      seen.push(...balances(events))
      after = events.at(-1)?.position ?? after
      if (page === 1) await write(low(environmentId, 4), low(environmentId, 5))
    }
    expect(seen).toEqual([1, 2, 3, 4, 5])
  })

  test('a rolled-back transaction leaves no event', async () => {
    const environmentId = await environment()
    const undone = database.write(async ({ db: tx }) => {
      await writeEvents(tx, database.dialect, [low(environmentId, 1)])
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect(await read(environmentId)).toEqual([])
  })

  test('positions keep increasing after the last event was removed, as after a restore', async () => {
    const environmentId = await environment()
    await write(low(environmentId, 1))
    const [before] = await read(environmentId)
    await database.db.deleteFrom('settings').where('name', '=', 'events.position').execute()
    await write(low(environmentId, 2))
    const later = await readEvents(database, { environmentId, after: before?.position ?? 0, limit: 9, now: noon + 1 })
    expect(balances(later)).toEqual([2])
  })

  test.runIf(onPostgres)(
    'an event that commits late is not skipped by a reader that has passed its position',
    async () => {
      const environmentId = await environment()
      const { promise: committed, resolve: commit } = Promise.withResolvers<void>()
      const { promise: written, resolve: hasWritten } = Promise.withResolvers<void>()
      const late = database.write(async ({ db: tx }) => {
        await writeEvents(tx, database.dialect, [low(environmentId, 1)])
        hasWritten()
        await committed
      })
      await written
      await write(low(environmentId, 2))
      const before = await read(environmentId)
      commit()
      await late
      const after = await read(environmentId, before.at(-1)?.position)

      expect([balances(before), balances(after)]).toEqual([[2], [1]])
    },
  )

  test.runIf(onPostgres)('with many concurrent writers and readers, each reader gets every event once', async () => {
    const environmentId = await environment()
    const total = 60
    const follow = async () => {
      const seen: number[] = []
      let after = 0
      while (seen.length < total) {
        const events = await read(environmentId, after, 7)
        seen.push(...balances(events))
        after = events.at(-1)?.position ?? after
      }
      return seen
    }
    const readers = [follow(), follow()]
    const numbers = Array.from({ length: total }, (_, number) => number)
    await Promise.all(numbers.map((number) => write(low(environmentId, number))))
    for (const seen of await Promise.all(readers)) expect(seen.toSorted((a, b) => a - b)).toEqual(numbers)
  })
})
