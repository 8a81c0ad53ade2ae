import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { startFakeProvider } from '../../fake-provider/start-fake-provider.ts'
import { ChildService, serve } from '../harness/child-service.ts'
import { BatchCaller } from './batch-caller.ts'

const isLong = process.env['VITAE_TEST_LONG'] === '1'
const rows = isLong ? 100_000 : 1_000
const kills = isLong ? 20 : 2
/** The other rows repeat one of these, and are not paid again. */
const distinct = isLong ? 5_000 : 100
const token = 'a-token-for-crash-tests'

async function admin<T>(url: string, method: string, path: string, body?: unknown): Promise<T> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const response = await fetch(`${url}/admin/v1${path}`, {
    method,
    headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  return (await response.json()) as T
}

test(
  'through kill -9 no row is lost, no id is billed twice, and the results equal those of an undisturbed run',
  { timeout: isLong ? 3_600_000 : 600_000 },
  async () => {
    const upstream = await startFakeProvider({ provider: 'mirror' })
    const folder = mkdtempSync(join(tmpdir(), 'vitae-batch-crash-'))
    onTestFinished(async () => {
      await upstream.close()
      rmSync(folder, { recursive: true, force: true })
    })
    const env = {
      VITAE_DATA_DIR: folder,
      VITAE_ADMIN_TOKEN: token,
      VITAE_UPSTREAM: 'mirror',
      VITAE_MIRROR_URL: upstream.url,
      VITAE_MIRROR_KEY: upstream.key,
      VITAE_RATE_LIMIT: '1000000/1s',
      VITAE_NOT_FOUND_RATE: '1000000/1h',
      LOG_LEVEL: 'info',
    }
    const ids = Array.from({ length: rows }, (_, index) =>
      index % 20 === 3 ? `missing-${index}` : `crash-${index % distinct}`,
    )
    let service = new ChildService(serve, env)
    onTestFinished(async () => void (await service.stop('SIGKILL')))
    let url = await service.url
    const { key } = await admin<{ key: string }>(url, 'POST', '/keys', { project: 'p', environment: 'e', mode: 'live' })
    await admin(url, 'POST', '/credits/grants', { project: 'p', environment: 'e', amount: 1_000_000 })
    const id = await new BatchCaller(url, key).submit({ kind: 'people', ids })
    for (let kill = 1; kill <= kills; kill++) {
      const batches = new BatchCaller(url, key)
      const enough = (rows / (kills + 1)) * kill
      await batches.until(id, ({ counts }) => rows - counts.waiting >= enough)
      await pause(Math.random() * 30)
      await service.stop('SIGKILL')
      service = new ChildService(serve, env)
      url = await service.url
    }
    const batches = new BatchCaller(url, key)
    const batch = await batches.until(id, ({ status }) => status === 'completed')
    const disturbed = await batches.digests(id)
    const { balance } = await admin<{ balance: number }>(url, 'GET', '/credits/balance?project=p&environment=e')
    const again = await batches.submit({ kind: 'people', ids })
    await batches.until(again, ({ status }) => status === 'completed')
    const undisturbed = await batches.digests(again)
    await service.stop('SIGTERM')

    const known = ids.filter((name) => !name.startsWith('missing-'))
    const found = known.length
    const paid = new Set(known).size
    expect(disturbed.map((digest) => Number(digest.split(' ')[0]))).toEqual(ids.map((_, index) => index + 1))
    expect(batch).toMatchObject({ credits_spent: paid, counts: { found, not_found: rows - found, waiting: 0 } })
    expect(1_000_000 - balance).toBe(paid)
    expect(disturbed.filter((digest, index) => digest !== undisturbed[index])).toEqual([])
    expect(undisturbed).toHaveLength(rows)
  },
)
