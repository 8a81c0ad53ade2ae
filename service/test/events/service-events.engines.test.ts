import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { startFakeProvider } from '../../fake-provider/start-fake-provider.ts'
import { readConfig } from '../../src/config/config.ts'
import { eventOperations } from '../../src/events/operations.ts'
import { writeEvents } from '../../src/events/outbox/event-upkeep.ts'
import { readEvents } from '../../src/events/outbox/read-events.ts'
import { noteProviders } from '../../src/providers/operations.ts'
import { eventJobs, providerWatch } from '../../src/app/jobs/event-jobs.ts'
import { noon } from '../credits/requests.ts'
import { engines, type TestDatabase } from '../harness/engines.ts'
import { openTestService } from '../harness/test-service.ts'

const minute = 60_000

describe.each(engines)('events of the whole service on $name', (engine) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await engine.open()
  })
  beforeEach(async () => {
    await database.db.deleteFrom('events').execute()
    await database.db.deleteFrom('provider_states').execute()
  })
  afterAll(() => database.close())
  const told = async () => {
    const events = await readEvents(database, { after: 0, limit: 50, now: noon })
    return events.map(({ event }) => [event.type, event.project, event.data])
  }
  const opens = (at: number) =>
    noteProviders(database, { opened: [{ provider: 'mirror', reason: 'timeout' }], answering: [], at })
  const answers = (at: number) =>
    noteProviders(database, { opened: [], answering: [{ provider: 'mirror', at }], at: at + minute })

  test('a provider that fails for several nodes at once, and recovers, is notified once each', async () => {
    await Promise.all([opens(noon), opens(noon)])
    await answers(noon - minute)
    await Promise.all([answers(noon + minute), answers(noon + minute)])

    expect(await told()).toEqual([
      ['provider.down', null, { provider: 'mirror', reason: 'timeout' }],
      ['provider.recovered', null, { provider: 'mirror', down_since: '2026-11-14T12:00:00.000Z' }],
    ])
  })

  test('an overdue backup is notified once, and again when a later one is overdue', async () => {
    for (const lastBackupAt of [noon, noon, noon + minute, noon + minute])
      await eventOperations.noteBackupOverdue(database, {
        lastBackupAt,
        dueAt: noon + 2 * minute,
        at: noon + 9 * minute,
      })
    expect((await told()).map(([type]) => type)).toEqual(['backup.overdue', 'backup.overdue'])
  })

  test('events that are too old are removed, the others stay', async () => {
    await opens(noon)
    await answers(noon + minute)
    expect(await eventOperations.pruneEvents(database, { before: noon + 1, types: 'others' })).toEqual({ done: true })
    expect((await told()).map(([type]) => type)).toEqual(['provider.recovered'])
  })

  test('of the events about keys only erasures outlive the others', async () => {
    const data = { kind: 'people', id: 'urn:li:member:1' } as const
    const types = ['record.purged', 'record.erased'] as const
    await database.write(({ db, dialect }) =>
      writeEvents(
        db,
        dialect,
        types.map((type) => ({ type, at: noon, environmentId: null, data })),
      ),
    )

    await eventOperations.pruneEvents(database, { before: noon + 1, types: 'others' })
    const kept = await told()
    await eventOperations.pruneEvents(database, { before: noon + 1, types: 'erasures' })

    expect(kept.map(([type]) => type)).toEqual(['record.erased'])
    expect(await told()).toEqual([])
  })
})

test('a circuit breaker that opens and closes is notified in every feed', async () => {
  const service = await openTestService({ env: { VITAE_BREAKER_FAILURES: '3' } })
  const { store, clock, lookup } = service.service
  const look = providerWatch({ store, clock, chain: lookup.chain })
  const types = async () => {
    const answer = await service.get('/v1/events', { ApiKey: service.liveKey })
    return (answer.json as { events: { type: string }[] }).events.map(({ type }) => type)
  }
  await service.upstream.setFault(500)
  for (let call = 0; call < 12; call++) await service.person(`down-${call}`)
  await look()
  await look()
  expect(await types()).toEqual(['provider.down'])

  await service.upstream.setFault(null)
  service.clock.advance({ minutes: 30 })
  await service.person('up-again')
  await look()
  await look()
  expect(await types()).toEqual(['provider.down', 'provider.recovered'])
})

test('a provider that reports more than its configured price is notified once, and again for a higher report or another price', async () => {
  const provider = await startFakeProvider({ provider: 'enrichlayer' })
  onTestFinished(() => provider.close())
  const env = {
    VITAE_UPSTREAM: 'enrichlayer',
    VITAE_ENRICHLAYER_URL: provider.url,
    VITAE_ENRICHLAYER_KEY: provider.key,
    VITAE_CURRENCY: 'EUR',
  }
  const service = await openTestService({ env })
  const { store, lookup } = service.service
  const told = async (cost: string) => {
    const config = readConfig({ ...env, VITAE_DATA_DIR: service.folder, VITAE_ENRICHLAYER_COST: cost })
    const jobs = eventJobs({ config, store, clock: service.clock, chain: lookup.chain })
    await jobs.find(({ name }) => name === 'notify of costs')?.run()
    const answer = await service.get('/v1/events?type=provider.cost_differs', { ApiKey: service.liveKey })
    return (answer.json as { events: { data: { configured: string; reported: number } }[] }).events.map(
      ({ data }) => data,
    )
  }

  // The fake provider reports one credit for a stored profile, and ten for a live one.
  await service.person('cheap')
  const usual = await told('0.02')
  const free = await told('0')
  await service.person('dear', '&bypass_cache=true')
  const dear = await told('0.02')
  const again = await told('0.02')

  const each = { provider: 'enrichlayer', currency: 'EUR', requests: 1 }
  expect(usual).toEqual([])
  expect(free).toEqual([{ ...each, configured: '0', reported: 1 }])
  expect(dear).toEqual([...free, { ...each, configured: '0.02', reported: 10 }])
  expect(again).toEqual(dear)
})
