import { expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { createLog } from '../../src/foundation/log.ts'
import { houseJobs } from '../../src/app/background-jobs.ts'
import { retentionRules } from '../../src/config/retention-config.ts'
import { openTestHouse, type TestHouse } from '../harness/test-service.ts'

/** Runs the background job as the service does; there is none where nothing is limited. */
async function runJob(house: TestHouse, env: Record<string, string>): Promise<boolean> {
  const { store } = house.house
  const recordsChanged = () => house.house.recordsChanged()
  const needs = { store, clock: house.clock, log: createLog('silent', false), recordsChanged }
  const job = houseJobs({ ...needs, config: readConfig(env) }).find(({ name }) => name === 'retention')
  await job?.run()
  return job !== undefined
}

interface History {
  versions: { fetch_id: number }[]
}

test('the background job removes what is too old, is audited, and leaves the ledger alone', async () => {
  const env = { VITAE_RAW_DAYS: '30', VITAE_HISTORY_DAYS: '60' }
  const house = await openTestHouse({ env })
  await house.person('ada')
  house.clock.advance({ days: 40 })
  await house.person('ada')
  const rawOf = async (index: number) => {
    const { versions } = await house.admin<History>('GET', '/records/people/ada/history')
    const owner = { authorization: `Bearer ${house.house.admin.ownerToken}` }
    return (await house.get(`/admin/v1/records/fetches/${versions[index]?.fetch_id}/raw`, owner)).status
  }
  expect([await rawOf(0), await rawOf(1)]).toEqual([200, 200])

  expect(await runJob(house, env)).toBe(true)

  expect(new Set([await rawOf(0), await rawOf(1)])).toEqual(new Set([200, 404]))
  house.clock.advance({ days: 30 })
  await runJob(house, env)
  expect((await house.admin<History>('GET', '/records/people/ada/history')).versions).toHaveLength(1)
  const { entries } = await house.admin<{ entries: { actor: string }[] }>('GET', '/audit?action=retention.run')
  expect(entries[0]).toMatchObject({ actor: 'system' })
  expect(await house.admin('GET', '/ledger/verify')).toMatchObject({ ok: true })
})

test('a limit of a provider contract also empties what is kept ready to be served', async () => {
  const env = { VITAE_MIRROR_STORE_DAYS: '2' }
  const house = await openTestHouse({ env })
  await house.person('ada')
  house.clock.advance({ days: 3 })
  expect((await house.person('ada')).headers.get('x-data-source')).toBe('store')

  await runJob(house, env)

  expect((await house.person('ada')).headers.get('x-data-source')).toBe('live')
})

test('nothing runs where nothing is limited', async () => {
  const house = await openTestHouse()

  expect(await runJob(house, {})).toBe(false)
})

test('a provider follows the general rule where it has none of its own', () => {
  const rules = retentionRules(readConfig({ VITAE_RAW_DAYS: '30', VITAE_MIRROR_HISTORY_DAYS: '5' }))

  expect(rules).toMatchObject({ rawDays: 30, historyDays: null, perProvider: { mirror: { historyDays: 5 } } })
  expect(rules.perProvider['mirror']).not.toHaveProperty('rawDays')
  expect(rules.perProvider).not.toHaveProperty('harvestapi')
})
