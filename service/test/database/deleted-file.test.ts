import { readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test, vi } from 'vitest'
import { openWatchedService } from '../harness/watched-service.ts'

test('a database that is deleted under the service is saved next to its place, and the service stops', async () => {
  const service = await openWatchedService()
  const data = join(service.folder, 'data')
  const { key } = await service.makeKey()
  const ask = (id: string) => fetch(`${service.url}/v1/people/profile?profile_id=${id}`, { headers: { ApiKey: key } })
  expect((await ask('ada-before')).status).toBe(200)

  for (const name of ['vitae.db', 'vitae.db-wal', 'vitae.db-shm']) rmSync(join(data, name), { force: true })
  // The service may notice during this call, and stop.
  const answered = await ask('ada-after').then(
    ({ status }) => status === 200,
    () => false,
  )
  await vi.waitFor(() => expect(service.isAlive()).toBe(false), { timeout: 300_000, interval: 100 })

  const saved = readdirSync(data).find((name) => name.startsWith('vitae.db.saved-')) ?? ''
  const { code, stdout } = await service.end()
  expect(code).toBe(1)
  expect(stdout).toContain(`was deleted or replaced while it was in use: a full copy is in ${join(data, saved)}`)
  renameSync(join(data, saved), join(data, 'vitae.db'))
  const database = new DatabaseSync(join(data, 'vitae.db'))
  const paid = database.prepare("select id from ledger_entries where kind = 'capture'").all().length
  expect(paid).toBeGreaterThanOrEqual(answered ? 2 : 1)
  expect(database.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
  database.close()
})
