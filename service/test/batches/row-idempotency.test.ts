import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { runVitae } from '../harness/run-vitae.ts'
import { openTestService, type TestService } from '../harness/test-service.ts'
import { BatchCaller } from './batch-caller.ts'

/** Stops the service and changes its store. */
async function inStore<T>(service: TestService, work: (db: DatabaseSync) => T): Promise<T> {
  await service.stop()
  const db = new DatabaseSync(join(service.folder, 'vitae.db'))
  const result = work(db)
  db.close()
  return result
}

test('idempotency records of rows live as long as their batch, not VITAE_IDEMPOTENCY_HOURS, and are removed with it', async () => {
  const service = await openTestService({ env: { VITAE_IDEMPOTENCY_HOURS: '1', VITAE_BATCH_DAYS: '30' } })
  const { key, balance } = await service.newCaller(10)
  const batches = () => new BatchCaller(service.url, key)
  const id = await batches().submit({ kind: 'people', ids: ['ada-marked', 'grace-marked'] })
  await batches().until(id)
  const before = await batches().results(id)
  // The state after a crash between charges and results, found five days later.
  await inStore(service, (db) => {
    db.exec('delete from batch_results')
    db.exec("update batches set status = 'running', found = 0, credits = 0, ended_at = null, expires_at = null")
  })
  service.clock.advance({ days: 5 })
  await service.start()
  await service.person('somebody-else')
  const again = await batches().until(id)
  const after = await batches().results(id)
  const left = await balance()
  service.clock.advance({ days: 31 })
  await service.restart()
  const records = await inStore(service, (db) =>
    db.prepare('select count(*) as count from idempotency where hash is not null').get(),
  )

  expect(left).toBe(8)
  expect(again).toMatchObject({ status: 'completed', credits_spent: 2, counts: { found: 2 } })
  expect(after.map(({ request_id: requestId, credits }) => [requestId, credits])).toEqual(
    before.map(({ request_id: requestId, credits }) => [requestId, credits]),
  )
  expect(records).toEqual({ count: 0 })
})

const subject = ['ada-crashed', '--kind', 'people', '--reason', 'asked for']

test.each([
  ['an erasure', ['records', 'erase', ...subject, '--yes']],
  // The same state as after an erasure that stopped half-way.
  ['a suppression', ['suppressions', 'add', ...subject]],
])(
  'the cost of a row is counted, even if a crash came before its result and %s before the restart',
  async (_what, command) => {
    const service = await openTestService()
    const { key, balance } = await service.newCaller(10)
    const batches = () => new BatchCaller(service.url, key)
    const id = await batches().submit({ kind: 'people', ids: ['ada-crashed', 'grace-stays'] })
    await batches().until(id)

    await inStore(service, (db) => {
      db.exec('delete from batch_results where number = 1')
      db.exec("update batches set status = 'running', found = 1, credits = 1, ended_at = null, expires_at = null")
    })
    const erased = await runVitae(command, { VITAE_DATA_DIR: service.folder })
    await service.start()
    const ended = await batches().until(id)

    expect(erased.code).toBe(0)
    expect(ended).toMatchObject({ status: 'completed', credits_spent: 2, counts: { found: 1, not_found: 1 } })
    expect(await balance()).toBe(8)
  },
)

test('what was paid before a crash counts at its own price before more is spent, even if lookups are cheaper now', async () => {
  const env = { VITAE_PRICE_PEOPLE: '5', VITAE_PRICE_COMPANIES: '5' }
  const service = await openTestService({ env })
  const { key, balance } = await service.newCaller(100)
  const batches = () => new BatchCaller(service.url, key)
  const ids = ['ada-dear', 'grace-dear', 'ada-dear', ...Array.from({ length: 30 }, (_, index) => `cheap-${index}`)]
  const id = await batches().submit({ kind: 'people', ids, max_credits: 10 })
  await batches().until(id)
  const before = await balance()

  // The state after a crash between charges and results.
  await inStore(service, (db) => {
    db.exec('delete from batch_results')
    db.exec("update batches set status = 'running', found = 0, credits = 0, max_credits = 12, reason = null")
  })
  env.VITAE_PRICE_PEOPLE = '1'
  await service.start()
  const ended = await batches().until(id)

  expect(before).toBe(90)
  expect(ended).toMatchObject({ pause_reason: 'max_credits_reached', credits_spent: 12, counts: { found: 5 } })
  expect(await balance()).toBe(88)
})
