import { overSqlite } from '../harness/engines.ts'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { creditOperations } from '../../src/credits/operations.ts'
import { openSqlite } from '../../src/database/sqlite/connection/sqlite.ts'
import { unpack } from '../../src/database/packing/pack.ts'
import { openWatchedService } from '../harness/watched-service.ts'
import { makeLoopDisk } from './loop-disk.ts'

interface Answered {
  requestId: string
  slug: string
  status: number
}

const slugs = (name: string) => Array.from({ length: 6 }, (_, index) => `${name}-${index}`)

/** The calls in the store of a disk, and whether its ledger is correct. */
async function readStore(folder: string) {
  const database = overSqlite(openSqlite(join(folder, 'data', 'vitae.db')))
  const { db } = database
  try {
    const calls = await db
      .selectFrom('calls')
      .innerJoin('versions', 'versions.id', 'calls.version_id')
      .innerJoin('fetches', 'fetches.id', 'calls.fetch_id')
      .select(['calls.request_id', 'calls.credits', 'versions.body', 'fetches.outcome'])
      .execute()
    const misses = await db.selectFrom('aliases').select('value').where('not_found_at', 'is not', null).execute()
    const { calls: counted } = await db.selectFrom('provider_months').select('calls').executeTakeFirstOrThrow()
    const ledger = await creditOperations.verifyLedger(database)
    return { calls, misses: misses.map(({ value }) => value), counted, ledger }
  } finally {
    await db.destroy()
  }
}

test('after a power cut the disk has every answered fetch: its charge, its record, its count, and a correct ledger', async ({
  skip,
}) => {
  const disk = makeLoopDisk('what a power cut leaves of fetches')
  if (!disk) return skip('no file system can be mounted here')
  const service = await openWatchedService({
    VITAE_DATA_DIR: join(disk.mounted, 'data'),
    // The calls of a provider with a budget are counted before they are made.
    VITAE_MIRROR_BUDGET: '100000',
    LOG_LEVEL: 'info',
  })
  const { key } = await service.makeKey()
  const lookUp = async (slug: string): Promise<Answered> => {
    const address = `${service.url}/v1/people/profile?profile_id=${slug}`
    const response = await fetch(address, { headers: { ApiKey: key } })
    await response.arrayBuffer()
    return { requestId: response.headers.get('x-request-id') ?? '', slug, status: response.status }
  }
  for (const slug of slugs('nobody')) service.upstream.people.set(slug, null)
  const answered: Answered[] = []

  for (const round of ['first', 'second', 'third']) {
    answered.push(...(await Promise.all(slugs(round).map(lookUp))))
    if (round === 'third') answered.push(...(await Promise.all(slugs('nobody').map(lookUp))))
    // These calls hold credits, and are unanswered when the power fails.
    service.upstream.latencyMs = 600_000
    const asked = service.upstream.requests.length
    const unanswered = slugs(`lost-${round}`).map((slug) => lookUp(slug).catch(() => null))
    while (service.upstream.requests.length < asked + unanswered.length) await pause(5)
    service.upstream.latencyMs = 0
    process.kill(service.pid, 'SIGSTOP')
    const left = disk.cut(round)
    process.kill(service.pid, 'SIGCONT')

    const { calls, misses, counted, ledger } = await readStore(left)
    const found = answered.filter(({ status }) => status === 200)
    expect(ledger).toMatchObject({ ok: true, differences: [] })
    expect(counted).toBeGreaterThanOrEqual(answered.length)
    for (const { requestId, slug } of found) {
      const call = calls.find((row) => row.request_id === requestId)
      expect(call).toMatchObject({ credits: 1, outcome: 'found' })
      expect(Buffer.from(call ? unpack(call.body) : []).toString()).toContain(slug)
    }
    expect(misses).toEqual(
      expect.arrayContaining(answered.filter(({ status }) => status === 404).map((one) => one.slug)),
    )
  }
  expect(answered.map(({ status }) => status)).toEqual([...Array(18).fill(200), ...Array(6).fill(404)])
  await service.close()
})
