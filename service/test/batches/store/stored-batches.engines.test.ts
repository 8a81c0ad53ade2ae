import { describe, expect, test } from 'vitest'
import { batchOperations } from '../../../src/batches/store/batch-operations.ts'
import type { BatchResult } from '../../../src/batches/store/run-batches.ts'
import { erasureOperations } from '../../../src/lifecycle/store/operations.ts'
import { openLedger } from '../../credits/ledger.ts'
import { noon } from '../../credits/requests.ts'
import { leaseOperations } from '../../../src/work/leases.ts'
import { engines, type OpenDatabase } from '../../harness/engines.ts'

const slug = { type: 'slug', value: 'ada-erased' } as const

function begin(database: OpenDatabase, environmentId: number, number: number) {
  const upload = {
    publicId: `batch_${number}`,
    environmentId,
    keyId: 'k1',
    mode: 'live',
    idempotencyHash: null,
  } as const
  return batchOperations.beginBatch(database, { ...upload, openAtMost: 3, at: noon, expiresAt: noon + 60_000 })
}

function rowOf(input: string) {
  return { input, subject: null, names: null, question: null, columns: null }
}

/** A queued batch of two rows. */
async function submit(database: OpenDatabase, environmentId: number, number = 1): Promise<number> {
  const { id } = (await begin(database, environmentId, number)) ?? { id: 0 }
  await batchOperations.addBatchRows(database, { id, after: 0, rows: ['ada-erased', 'grace-stays'].map(rowOf) })
  const batch = { id, environmentId, kind: 'people', name: null, options: '{}', maxCredits: null } as const
  await batchOperations.finishBatch(database, { ...batch, idempotencyHash: null, digest: '', total: 2, at: noon })
  return id
}

async function eraseRows(database: OpenDatabase) {
  const after = { batchId: 0, number: 0 }
  const traced = { entityIds: [], names: { people: [slug], companies: [] } }
  const { found: places } = await erasureOperations.findBatchRows(database, { traced, after, limit: 100 })
  return erasureOperations.eraseBatchRows(database, { places, at: noon })
}

function paid(number: number): BatchResult {
  const answer = {
    status: 'found',
    error: null,
    source: 'live',
    fetched_at: noon,
    fold_id: null,
    version_id: null,
  } as const
  const unmatched = { detail: null, likelihood: null, matched_on: null }
  return { number, ...answer, ...unmatched, credits: 1, request_id: `r${number}` }
}

describe.each(engines)('batches in the store on $name', (engine) => {
  test('the cost of an erased row counts once, even if the erasure came before its result', async () => {
    const { database, environmentId } = await openLedger(engine, 10)
    const id = await submit(database, environmentId)
    await eraseRows(database)

    const save = { id, lease: 0, results: [paid(1), paid(2)], answered: true, at: noon, expiresAt: noon }
    const saved = await batchOperations.saveBatchResults(database, save)
    const again = await batchOperations.saveBatchResults(database, save)

    expect([saved?.credits, again?.credits]).toEqual([2, 2])
    const rows = await database.db.selectFrom('batch_results').selectAll().orderBy('number').execute()
    expect(rows.map(({ status, credits }) => [status, credits])).toEqual([
      ['not_found', 0],
      ['found', 1],
    ])
  })

  test('a run that has lost its lease writes no results, because the next run has read what the batch has spent', async () => {
    const { database, environmentId } = await openLedger(engine, 10)
    const id = await submit(database, environmentId)
    const claim = { node: 'b', leaseMs: 60_000, pauseAtMostMs: 60_000, limit: 9, ofEnvironment: 9, except: [] }
    const write = (lease: number, number: number) => {
      const args = { id, lease, results: [paid(number)], answered: true, at: noon, expiresAt: noon }
      return batchOperations.saveBatchResults(database, args)
    }

    const first = await write(0, 1)
    const [taken] = await batchOperations.claimBatches(database, { ...claim, now: noon })
    const late = await write(0, 2)
    const own = await write(taken?.lease ?? -1, 2)

    expect([taken?.lease, taken?.credits]).toEqual([1, 1])
    expect([first?.credits, late, own?.credits]).toEqual([1, null, 2])
  })

  test('a row counts once, even if two erasures and its result are written at the same moment', async () => {
    const { database, environmentId } = await openLedger(engine, 10)
    const save = (id: number, number: number) => {
      const args = { id, lease: 0, results: [paid(number)], answered: true, at: noon, expiresAt: noon }
      return batchOperations.saveBatchResults(database, args)
    }
    for (let number = 1; number <= 10; number++) {
      const id = await submit(database, environmentId, number)
      await Promise.all([eraseRows(database), save(id, 1), eraseRows(database)])

      const batch = await database.db.selectFrom('batches').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
      expect([batch.status, batch.found + batch.not_found]).toEqual(['queued', 1])
      expect((await save(id, 2))?.status).toBe('completed')
    }
  })

  test('an environment never has more unfinished batches than allowed, even if many start at once', async () => {
    const { database, environmentId } = await openLedger(engine, 10)

    const begun = await Promise.all(Array.from({ length: 12 }, (_, number) => begin(database, environmentId, number)))

    expect(begun.filter((each) => each !== null)).toHaveLength(3)
  })

  test('the upload of a dead node is soon removed and no longer counted, and living uploads stay', async () => {
    const { database, environmentId } = await openLedger(engine, 10)
    const [dead, living] = [await begin(database, environmentId, 1), await begin(database, environmentId, 2)]
    await begin(database, environmentId, 3)
    const uploads = database.db.updateTable('batches').where('status', '=', 'uploading')
    const id = living?.id ?? 0
    await batchOperations.addBatchRows(database, { id, after: 0, rows: [rowOf('ada-uploads')] })
    expect(await begin(database, environmentId, 4)).toBeNull()

    // More than a minute passes without a renewal from one of the first two.
    await uploads
      .set({ lease_until: 1 })
      .where('id', 'in', [dead?.id ?? 0, id])
      .execute()
    const lease = { of: 'batches', leases: [{ id: 'batch_2', number: 0 }], leaseMs: 60_000 } as const
    await leaseOperations.renewLeases(database, lease)
    const next = await begin(database, environmentId, 5)
    const expired = await batchOperations.expiredBatches(database, { now: noon, limit: 10 })

    expect(next).not.toBeNull()
    expect(expired.map(({ publicId }) => publicId)).toEqual(['batch_1'])
    const settings = { kind: 'people', name: null, options: '{}', maxCredits: null, idempotencyHash: null } as const
    const end = { id, environmentId, ...settings, digest: '', total: 1, at: noon }
    const { batch } = await batchOperations.finishBatch(database, end)
    // It may run at once.
    expect(batch).toMatchObject({ public_id: 'batch_2', status: 'queued', lease_until: 0 })
  })
})
