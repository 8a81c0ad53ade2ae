import type { RecordStore } from '../../records/operations.ts'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { dayMs } from '../../foundation/clock.ts'
import type { LookupDeps } from '../../lookup/payment/deps.ts'
import type { BatchDeps } from './deps.ts'

/** Longer than any batch lives: the idempotency record of a row is removed with its batch. */
const untilRemovedMs = 100 * 365 * dayMs

/**
 * The lookup dependencies of a batch. The idempotency records of its rows outlive it, and it queues for providers
 * separately from other calls. Its charges need no sync, because the synced commit of a row's result answers it. No
 * caller waits for a row, so fetched rows wait for each other before each write, and several share a message and a
 * transaction. Stored rows share their reads.
 */
export function lookupsOfBatch(
  { lookup, store }: Pick<BatchDeps, 'lookup'> & { store: { records: Pick<RecordStore, 'readFacts'> } },
  { public_id: id }: { public_id: string },
  beat: { together(): Promise<void> },
): LookupDeps {
  const { chain, rules } = lookup
  const { records } = lookup.store
  return {
    ...lookup,
    rules: { ...rules, idempotencyMs: untilRemovedMs },
    chain: { ...chain, ask: (ask) => chain.ask({ ...ask, batch: id }) },
    store: {
      records: {
        ...records,
        readRecord: readTogether(records.readRecord, store.records.readFacts),
        saveFetch: (args) => beat.together().then(() => records.saveFetch(args)),
        saveMiss: (args) => beat.together().then(() => records.saveMiss(args)),
      },
    },
    earlyPayments: null,
    settle: async (request) => {
      if (request.type !== 'charge' && request.type !== 'check') await beat.together()
      return lookup.settle({ ...request, answeredLater: true })
    },
  }
}

type ReadRecord = RecordStore['readRecord']

/** Rows that begin in one turn share a read. If it fails, each is read alone, so that a fault of one row fails no other. */
function readTogether(readRecord: ReadRecord, readFacts: RecordStore['readFacts']): ReadRecord {
  let asked: Parameters<ReadRecord>[0][] = []
  let reading: ReturnType<typeof readFacts> | null = null
  const readAll = async () => {
    await nextTurn()
    const all = asked
    asked = []
    reading = null
    return readFacts({ asked: all })
  }
  return async (one) => {
    if (!one.onlyFacts) return readRecord(one)
    const place = asked.push(one) - 1
    reading ??= readAll()
    const all = await reading.catch(() => [])
    return all[place] ?? readRecord(one)
  }
}
