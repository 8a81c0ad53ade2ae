import { expect, test } from 'vitest'
import { readConfig } from '../../../src/config/config.ts'
import { createLog } from '../../../src/foundation/log.ts'
import { backgroundJobs } from '../../../src/app/jobs/background-jobs.ts'
import { retentionRules } from '../../../src/config/retention-config.ts'
import { openTestService, type TestService } from '../../harness/test-service.ts'

/** Runs the background job like the service, which has it only if something is limited. */
async function runJob(service: TestService, env: Record<string, string>): Promise<boolean> {
  const { store } = service.service
  const recordsChanged = () => service.service.recordsChanged()
  const deps = {
    store,
    clock: service.clock,
    log: createLog('silent', false),
    recordsChanged,
    service: service.service,
  }
  const job = backgroundJobs({ ...deps, config: readConfig(env) }).find(({ name }) => name === 'retention')
  await job?.run()
  return job !== undefined
}

interface History {
  versions: { fetch_id: number }[]
}

test('the background job removes old data, is audited, and leaves the ledger unchanged', async () => {
  const env = { VITAE_RAW_DAYS: '30', VITAE_HISTORY_DAYS: '60' }
  const service = await openTestService({ env })
  await service.person('ada')
  service.clock.advance({ days: 40 })
  await service.person('ada')
  const rawOf = async (index: number) => {
    const { versions } = await service.admin<History>('GET', '/records/people/ada/history')
    const owner = { authorization: `Bearer ${service.service.admin.ownerToken}` }
    return (await service.get(`/admin/v1/records/fetches/${versions[index]?.fetch_id}/raw`, owner)).status
  }
  expect([await rawOf(0), await rawOf(1)]).toEqual([200, 200])

  expect(await runJob(service, env)).toBe(true)

  expect(new Set([await rawOf(0), await rawOf(1)])).toEqual(new Set([200, 404]))
  service.clock.advance({ days: 30 })
  await runJob(service, env)
  expect((await service.admin<History>('GET', '/records/people/ada/history')).versions).toHaveLength(1)
  const { entries } = await service.admin<{ entries: { actor: string }[] }>('GET', '/audit?action=retention.run')
  expect(entries[0]).toMatchObject({ actor: 'system' })
  expect(await service.admin('GET', '/ledger/verify')).toMatchObject({ ok: true })
})

test('the limit of a provider contract also clears cached answers', async () => {
  const env = { VITAE_MIRROR_STORE_DAYS: '2' }
  const service = await openTestService({ env })
  await service.person('ada')
  service.clock.advance({ days: 3 })
  expect((await service.person('ada')).headers.get('x-data-source')).toBe('store')

  await runJob(service, env)

  expect((await service.person('ada')).headers.get('x-data-source')).toBe('live')
})

test('a record that is served now and then is not removed as unused, and its export shows its last use', async () => {
  const env = { VITAE_UNUSED_RECORD_DAYS: '10', VITAE_MAX_AGE_CAP_DAYS: '90' }
  const service = await openTestService({ env })
  await service.person('ada')
  await service.person('bea')
  for (let visit = 0; visit < 5; visit++) {
    service.clock.advance({ days: 4 })
    expect((await service.person('ada', '&max_age_days=90')).headers.get('x-data-source')).toBe('store')
  }
  const served = new Date(service.clock.now()).toISOString()
  service.clock.advance({ days: 1 })

  const { last_used_at: used } = await service.admin<{ last_used_at: string }>('GET', '/records/people/ada/export')
  await runJob(service, env)

  expect(used).toBe(served)
  expect((await service.person('ada', '&max_age_days=90')).headers.get('x-data-source')).toBe('store')
  expect((await service.person('bea', '&max_age_days=90')).headers.get('x-data-source')).toBe('live')
})

test('a record is removed at its hard age even if it is served every week', async () => {
  const env = { VITAE_RECORD_DAYS: '30', VITAE_MAX_AGE_CAP_DAYS: '90' }
  const service = await openTestService({ env })
  await service.person('ada')
  for (let week = 0; week < 3; week++) {
    service.clock.advance({ days: 11 })
    await service.person('ada', '&max_age_days=90')
  }

  await runJob(service, env)

  expect((await service.person('ada', '&max_age_days=90')).headers.get('x-data-source')).toBe('live')
})

test('by default the call log is kept for 90 days, and records indefinitely', async () => {
  const service = await openTestService()
  await service.person('ada')
  const callsLeft = async () => (await service.admin<{ calls: unknown[] }>('GET', '/calls')).calls.length
  service.clock.advance({ days: 89 })
  await runJob(service, {})
  expect(await callsLeft()).toBe(1)
  service.clock.advance({ days: 2 })
  await runJob(service, {})

  expect(await callsLeft()).toBe(0)
  expect((await service.admin<History>('GET', '/records/people/ada/history')).versions).toHaveLength(1)
  expect(await service.admin('GET', '/ledger/verify')).toMatchObject({ ok: true })
})

test('a provider without its own rule follows the general one', () => {
  const rules = retentionRules(readConfig({ VITAE_RAW_DAYS: '30', VITAE_MIRROR_HISTORY_DAYS: '5' }))

  expect(rules).toMatchObject({ rawDays: 30, historyDays: null, perProvider: { mirror: { historyDays: 5 } } })
  expect(rules.perProvider['mirror']).not.toHaveProperty('rawDays')
  expect(rules.perProvider).not.toHaveProperty('harvestapi')
})
