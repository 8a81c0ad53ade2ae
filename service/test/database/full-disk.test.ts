import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ChildService, serve } from '../harness/child-service.ts'
import { openWatchedService } from '../harness/watched-service.ts'

const hasLimits = !spawnSync('prlimit', ['--version']).error
if (!hasLimits) console.warn('NOT RUN: a disk without room, because there is no prlimit on this machine.')

/** Limits the file size of the process, which writers see as a full disk. */
function limitFiles(pid: number, bytes: number | 'unlimited'): void {
  const { status, stderr } = spawnSync('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:unlimited`], { encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(status).toBe(0)
}

test.skipIf(!hasLimits)(
  'a full disk is a 503 that costs nothing and is named in the log, and with free space everything works again',
  async () => {
    const service = await openWatchedService()
    const { key } = await service.makeKey()
    const ask = (id: string) => fetch(`${service.url}/v1/people/profile?profile_id=${id}`, { headers: { ApiKey: key } })
    expect((await ask('ada-stored')).status).toBe(200)
    const before = await service.balance()

    limitFiles(service.pid, statSync(join(service.folder, 'data', 'vitae.db-wal')).size)
    const refused = [await ask('ada-stored'), await ask('ada-new')]

    for (const response of refused) {
      expect(response.status).toBe(503)
      expect(response.headers.get('retry-after')).toBe('5')
      expect(await response.json()).toMatchObject({ code: 'store_unavailable' })
    }
    expect(await service.balance()).toBe(before)
    limitFiles(service.pid, 'unlimited')
    expect([(await ask('ada-stored')).status, (await ask('ada-new')).status]).toEqual([200, 200])
    expect(await service.balance()).toBe(before - 2)
    const { stdout } = await service.end()
    expect(stdout).toContain('the store cannot be used')
    expect(stdout).toMatch(/disk I\/O error|disk is full/)
  },
)

test.skipIf(!hasLimits)(
  'operators also get 503 store_unavailable while nothing can be written, no change is made, and the service is not ready',
  async () => {
    const service = await openWatchedService()
    const { id, key } = await service.makeKey()
    const person = `${service.url}/v1/people/profile?profile_id=ada-stored`
    expect((await fetch(person, { headers: { ApiKey: key } })).status).toBe(200)
    const before = await service.balance()
    const send = (path: string, body: unknown) =>
      fetch(`${service.url}/admin/v1${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const place = { project: 'acme', environment: 'production' }

    limitFiles(service.pid, statSync(join(service.folder, 'data', 'vitae.db-wal')).size)
    const refused = [
      await send(`/keys/${id}/revoke`, {}),
      await send('/credits/grants', { ...place, amount: 5 }),
      await send('/keys', { ...place, mode: 'live' }),
      await send('/records/people/ada-stored/erase', { reason: 'asked for' }),
    ]
    const ready = await fetch(`${service.url}/readyz`)

    for (const response of refused) {
      expect([response.url, response.status]).toEqual([response.url, 503])
      expect(response.headers.get('content-type')).toContain('application/problem+json')
      expect(await response.json()).toMatchObject({ code: 'store_unavailable' })
    }
    expect(ready.status).toBe(503)
    limitFiles(service.pid, 'unlimited')
    await expect.poll(async () => (await fetch(`${service.url}/readyz`)).status).toBe(200)
    expect(await service.balance()).toBe(before)
    expect((await fetch(person, { headers: { ApiKey: key } })).status).toBe(200)
  },
)

test.skipIf(!hasLimits).each(['new', 'used'])(
  'a start with a %s store on a full disk fails with a one-line message',
  async (store) => {
    const folder = mkdtempSync(join(tmpdir(), 'vitae-full-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const env = { PATH: process.env['PATH'] ?? '', PORT: '0', VITAE_DATA_DIR: folder }
    if (store === 'used') {
      const first = new ChildService(serve, { ...env, LOG_LEVEL: 'info' })
      await first.url
      await first.stop('SIGKILL')
    }

    const limit = store === 'new' ? 20_000 : 4_096
    const ended = spawnSync('prlimit', [`--fsize=${limit}`, process.execPath, ...serve], {
      env,
      encoding: 'utf8',
      timeout: 100_000,
    })

    expect(ended).toMatchObject({ status: 1, stdout: '' })
    expect(ended.stderr).toMatch(/^[^\n]*(disk is full|disk I\/O error)[^\n]*\n$/)
  },
)
