import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { openTestService } from '../../harness/test-service.ts'

test('an erasure waits for the end of a report that reads the log, and no charge does', async () => {
  const service = await openTestService({ credits: 1_000 })
  const paidLookup = (id: string) => service.get(`/v1/people/profile?profile_id=${id}`, { ApiKey: service.liveKey })
  await paidLookup('ada-erased')
  await paidLookup('grace-stays')
  const report = new DatabaseSync(join(service.folder, 'vitae.db'), { readOnly: true })
  onTestFinished(() => report.close())
  report.exec('begin')
  report.prepare('select count(*) from versions').get()

  let hasEnded = false
  const erasure = service
    .admin('POST', '/records/people/ada-erased/erase', { reason: 'asked for it' })
    .finally(() => (hasEnded = true))
  // An engine that waits for the report would give up after five seconds, and fail the erasure.
  const until = performance.now() + 4_000
  const statuses = new Set<number>()
  while (performance.now() < until) statuses.add((await paidLookup('grace-stays')).status)
  const endedBesideReport = hasEnded
  report.exec('commit')

  expect([...statuses]).toEqual([200])
  expect(endedBesideReport).toBe(false)
  expect(await erasure).toMatchObject({ erased: { entities: 1 }, files_rewritten: false })
})
