import { expect, test } from 'vitest'
import { openTestService, type TestService } from '../harness/test-service.ts'
import { BatchCaller } from './batch-caller.ts'

interface Opened {
  service: TestService
  batches: BatchCaller
  /** Log lines about rows that failed because of an internal error. */
  faults: Record<string, unknown>[]
}

async function open(mode: 'live' | 'test'): Promise<Opened> {
  const faults: Record<string, unknown>[] = []
  const onLogLine = (line: Record<string, unknown>) => void (line['row'] !== undefined && faults.push(line))
  const service = await openTestService({ realClock: true, onLogLine })
  const { key } = mode === 'live' ? { key: service.liveKey } : await service.makeKey({ mode })
  return { service, batches: new BatchCaller(service.url, key), faults }
}

const ids = ['ada-fault', 'broken-row', 'grace-fault']

test('a sample that cannot be generated fails its row; the batch and others of the environment continue', async () => {
  const { service, batches, faults } = await open('test')
  const { lookup } = service.service.batches
  const { clock } = lookup
  let samples = 0
  const now = () => {
    // Every second of three samples. Other code asks for the time too.
    if (new Error().stack?.includes('sampleRow') && ++samples % 3 === 2) throw new TypeError('a fault of ours')
    return clock.now()
  }
  Object.assign(lookup, { clock: { now } })

  const id = await batches.submit({ kind: 'companies', ids })
  const { status, counts } = await batches.until(id)
  const rows = await batches.results(id)

  expect([status, counts]).toEqual(['completed', { found: 2, not_found: 0, invalid: 0, failed: 1, waiting: 0 }])
  expect(rows.map((row) => [row.status, row.error])).toEqual([
    ['found', null],
    ['failed', 'internal_error'],
    ['found', null],
  ])
  expect(faults[0]).toMatchObject({ level: 50, batch: id, row: 2 })
  expect(JSON.stringify(faults)).not.toContain('broken-row')
})

test('if the shared read of stored rows fails, each row is read alone and found', async () => {
  const { service, batches } = await open('live')
  for (const id of ids) await service.person(id)
  await service.restart()
  let reads = 0
  const readFacts = () => {
    reads++
    return Promise.reject(new TypeError('a fault of ours'))
  }
  Object.assign(service.service.batches.store.records, { readFacts })

  const again = new BatchCaller(service.url, batches.key)
  const id = await again.submit({ kind: 'people', ids })
  const { counts } = await again.until(id)

  expect(counts).toMatchObject({ found: 3, failed: 0 })
  expect((await again.results(id)).map(({ source }) => source)).toEqual(['store', 'store', 'store'])
  expect(reads).toBeGreaterThan(0)
})

// Its attempts are seconds apart.
test.runIf(process.env['VITAE_TEST_LONG'])(
  'a paid row with an internal error fails alone after a few attempts, and costs nothing',
  async () => {
    const { service, batches, faults } = await open('live')
    const { chain } = service.service.batches.lookup
    const { ask } = chain
    const faulty: typeof ask = (request) => {
      if (request.identifier.value === 'broken-row') throw new TypeError('a fault of ours')
      return ask.call(chain, request)
    }
    Object.assign(chain, { ask: faulty })

    const id = await batches.submit({ kind: 'people', ids })
    const { status, counts, credits_spent } = await batches.until(id)

    expect([status, counts, credits_spent]).toEqual([
      'completed',
      { found: 2, not_found: 0, invalid: 0, failed: 1, waiting: 0 },
      2,
    ])
    expect((await batches.results(id)).map((row) => row.error)).toEqual([null, 'internal_error', null])
    expect(faults.map(({ level, row }) => [level, row])).toEqual(Array.from({ length: 4 }, () => [50, 2]))
  },
)
