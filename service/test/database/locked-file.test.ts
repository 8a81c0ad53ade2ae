import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { openWatchedService } from '../harness/watched-service.ts'

test('while another program locks the store, calls and operators get 503 and nothing is billed; afterwards everything works', async () => {
  const service = await openWatchedService()
  const { key } = await service.makeKey()
  const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' }
  const ask = (id: string) => fetch(`${service.url}/v1/people/profile?profile_id=${id}`, { headers: { ApiKey: key } })
  const grant = () =>
    fetch(`${service.url}/admin/v1/credits/grants`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ project: 'acme', environment: 'production', amount: 5 }),
    })
  expect((await ask('ada')).status).toBe(200)
  const before = await service.balance()
  const other = new DatabaseSync(join(service.folder, 'data', 'vitae.db'))
  onTestFinished(() => other.close())

  other.exec('begin immediate')
  const refused = await Promise.all([...Array.from({ length: 12 }, () => ask('ada')), ask('bea'), grant()])
  const ready = await fetch(`${service.url}/readyz`)
  other.exec('rollback')

  for (const response of refused) {
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('1')
    expect(await response.json()).toMatchObject({ code: 'store_unavailable' })
  }
  expect(ready.status).toBe(503)
  expect(await service.balance()).toBe(before)
  expect([(await ask('ada')).status, (await ask('bea')).status, (await grant()).status]).toEqual([200, 200, 200])
  expect(await service.balance()).toBe(before - 2 + 5)
})
