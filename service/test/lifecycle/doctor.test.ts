import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openTestService, type TestService } from '../harness/test-service.ts'

interface Finding {
  name: string
  state: string
  detail: string
}

async function finding(service: TestService, name: string): Promise<Finding | undefined> {
  const { checks } = await service.admin<{ checks: Finding[] }>('GET', '/doctor')
  return checks.find((check) => check.name === name)
}

/** Changes the store without the service. */
function tamper(service: TestService, statement: string): void {
  const db = new DatabaseSync(join(service.folder, 'vitae.db'), { timeout: 300_000 })
  db.exec(statement)
  db.close()
}

test('the doctor checks the newest part of ledger and audit log, and reports the last full check', async () => {
  const service = await openTestService()
  await service.person('ada')
  expect(await finding(service, 'ledger')).toMatchObject({
    state: 'ok',
    detail: expect.stringContaining('was never checked'),
  })
  expect(await finding(service, 'audit log')).toMatchObject({
    state: 'ok',
    detail: expect.stringContaining('was never checked'),
  })

  await service.admin('GET', '/ledger/verify')
  await service.admin('GET', '/audit/verify')

  const checked = `last checked at ${new Date(service.clock.now()).toISOString()}, without errors`
  for (const name of ['ledger', 'audit log'])
    expect(await finding(service, name)).toMatchObject({ state: 'ok', detail: expect.stringContaining(checked) })
})

test('the doctor finds a charge without its call, credits held without a hold, and a changed audit entry', async () => {
  const service = await openTestService()
  await service.person('ada')

  tamper(service, `update ledger_entries set amount = 7 where kind = 'capture'`)
  const charge = await finding(service, 'ledger')
  tamper(service, `update ledger_entries set amount = 1 where kind = 'capture'`)
  tamper(service, `update environments set held = 3`)
  const held = await finding(service, 'ledger')
  tamper(service, `update audit set actor = 'nobody' where id = (select max(id) from audit)`)
  const audit = await finding(service, 'audit log')

  expect(charge).toMatchObject({ state: 'error', detail: expect.stringContaining('charge of call') })
  expect(held).toMatchObject({ state: 'error', detail: expect.stringContaining('held of acme/production is 3') })
  expect(audit).toMatchObject({ state: 'error', detail: expect.stringContaining('was changed') })
})

test('the doctor warns of webhooks that are paused', async () => {
  const service = await openTestService()
  const before = await finding(service, 'webhooks')
  const settings = { url: 'https://hooks.example/vitae', project: 'acme', events: ['credits.low'] }
  const { id } = await service.admin<{ id: string }>('POST', '/webhooks', settings)
  await service.admin('PATCH', `/webhooks/${id}`, { state: 'paused' })

  expect(before).toBeUndefined()
  expect(await finding(service, 'webhooks')).toMatchObject({
    state: 'warning',
    detail: '1 webhook is paused: its events wait',
  })
})
