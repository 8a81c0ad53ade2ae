import { expect, test } from 'vitest'
import { backgroundJobs } from '../../../src/app/jobs/background-jobs.ts'
import { readConfig } from '../../../src/config/config.ts'
import { onPostgres } from '../../harness/engines.ts'
import { logTo, openTestService, type TestService } from '../../harness/test-service.ts'
import { marker } from '../subjects.ts'

interface Erased {
  tables_left: string[]
  bytes_gone_by: string | null
  bytes_gone_at: string | null
}

/** A service with a record, and a word that only this record contains. */
async function serviceWithRecord(): Promise<{ service: TestService; slug: string }> {
  const service = await openTestService({ credits: 100 })
  const slug = `ada-${marker().toLowerCase()}`
  expect((await service.person(slug)).status).toBe(200)
  expect(await service.placesOf(slug)).not.toEqual([])
  return { service, slug }
}

function erase(service: TestService, slug: string, more: object = {}): Promise<Erased> {
  return service.admin<Erased>('POST', `/records/people/${slug}/erase`, { reason: 'asked to', ...more })
}

/** Runs the job once, as a process that has just started does. */
async function runJob({ service, clock }: TestService): Promise<Record<string, unknown>[]> {
  const lines: Record<string, unknown>[] = []
  const { store, recordsChanged } = service
  const config = readConfig({ DATABASE_URL: 'postgres://localhost/vitae', VITAE_REWRITE_AT: '03:30' })
  const log = logTo((line) => lines.push(line))
  const jobs = backgroundJobs({ config, store, clock, log, recordsChanged, service })
  await jobs.find(({ name }) => name === 'rewrite tables after erasures')?.run()
  return lines
}

/** The same until nothing is left: long transactions of other tests on the server delay a rewrite. */
async function runJobs(service: TestService): Promise<Record<string, unknown>[]> {
  const lines: Record<string, unknown>[] = []
  const left = async () => {
    lines.push(...(await runJob(service)))
    return service.service.store.residue.bytesLeft(null)
  }
  await expect.poll(left).toBeNull()
  return lines
}

const listed = async (service: TestService) =>
  (await service.admin<{ erasures: Erased[] }>('GET', '/erasures')).erasures

test.runIf(onPostgres)(
  'the bytes of an erased record are gone after the next daily rewrite, and not before',
  async () => {
    const { service, slug } = await serviceWithRecord()
    service.clock.set('2026-12-01T12:00:00Z')

    const erased = await erase(service, slug)
    const early = await runJob(service)

    const waiting = { bytes_gone_by: '2026-12-02T04:30:00.000Z', bytes_gone_at: null }
    expect(erased).toMatchObject(waiting)
    expect(erased.tables_left).toEqual(expect.arrayContaining(['aliases', 'entities', 'payloads', 'versions']))
    expect(erased.tables_left).not.toContain('batch_rows')
    expect((await service.person(slug)).status).toBe(404)
    expect((await listed(service)).every((one) => one.bytes_gone_at === null)).toBe(true)
    expect((await listed(service))[0]).toMatchObject(waiting)
    expect(early).toEqual([])
    expect(await service.placesOf(slug)).not.toEqual([])

    service.clock.set('2026-12-02T03:31:00Z')
    const lines = await runJobs(service)

    expect(await service.placesOf(slug)).toEqual([])
    expect(lines).toContainEqual(expect.objectContaining({ tables: expect.arrayContaining(['payloads', 'versions']) }))
    expect((await listed(service))[0]).toMatchObject({ ...waiting, bytes_gone_at: '2026-12-02T03:31:00.000Z' })
    expect(await runJob(service)).toEqual([])
  },
)

test.runIf(onPostgres)('a rewrite that is overdue is a warning and a metric until it was done', async () => {
  const { service, slug } = await serviceWithRecord()
  service.clock.set('2026-12-01T12:00:00Z')
  await erase(service, slug)
  const finding = async () => (await service.service.diagnose()).find(({ name }) => name === 'erased bytes')
  const overdue = async () => /^vitae_rewrite_overdue_seconds .*$/m.exec((await service.get('/metrics')).text)?.[0]

  expect([(await finding())?.state, await overdue()]).toEqual(['ok', 'vitae_rewrite_overdue_seconds 0'])
  service.clock.set('2026-12-03T04:30:00Z')
  expect([(await finding())?.state, await overdue()]).toEqual(['warning', 'vitae_rewrite_overdue_seconds 86400'])
  await runJobs(service)
  expect([(await finding())?.state, await overdue()]).toEqual(['ok', 'vitae_rewrite_overdue_seconds 0'])
})

test('with "now", and always on the embedded engine, no byte remains when the erasure has answered', async () => {
  const { service, slug } = await serviceWithRecord()

  const erased = await erase(service, slug, onPostgres ? { now: true } : {})

  // Another transaction of the busy server may last for seconds. Then the answer says so, and the job goes on.
  if (onPostgres && erased.tables_left.length > 0) {
    expect(erased.bytes_gone_at).toBeNull()
    await runJobs(service)
    return expect(await service.placesOf(slug)).toEqual([])
  }
  expect(await service.placesOf(slug)).toEqual([])
  expect(erased).toMatchObject({ tables_left: [], bytes_gone_at: new Date(service.clock.now()).toISOString() })
  expect((await listed(service)).every((one) => one.bytes_gone_at !== null)).toBe(true)
})

test.runIf(onPostgres)('an erasure during a rewrite waits for the next one, and is not counted as gone', async () => {
  const { service, slug } = await serviceWithRecord()
  const { store } = service.service
  service.clock.set('2026-12-01T12:00:00Z')
  expect((await service.person('grace')).status).toBe(200)
  await erase(service, 'grace')
  service.clock.set('2026-12-02T03:30:00Z')
  const rewrite = async () => (await store.residue.rewriteTables({ now: service.clock.now() })).left
  await expect.poll(rewrite).toEqual([])

  await erase(service, slug)
  await store.residue.endRewrites({ now: service.clock.now() })

  const times = (await listed(service)).map((one) => one.bytes_gone_at)
  expect([times[0], times.at(-1)]).toEqual(['2026-12-02T03:30:00.000Z', null])
  expect(await store.residue.bytesLeft(null)).toMatchObject({ hasBegun: false })
})
