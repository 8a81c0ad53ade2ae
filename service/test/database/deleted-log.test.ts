import { spawnSync } from 'node:child_process'
import { readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { ChildService, serve } from '../harness/child-service.ts'
import { openWatchedService, type WatchedService } from '../harness/watched-service.ts'

const ask = ({ url }: WatchedService, key: string, id: string) =>
  fetch(`${url}/v1/people/profile?profile_id=${id}`, { headers: { ApiKey: key } })

const hasShell = spawnSync('sqlite3', ['-version']).status === 0
if (!hasShell) console.warn('NOT RUN: who looks into a store in use, because there is no sqlite3 on this machine.')

function paidIn(path: string): number {
  const store = new DatabaseSync(path)
  const { length } = store.prepare("select id from ledger_entries where kind = 'capture'").all()
  store.close()
  return length
}

test.skipIf(!hasShell)(
  'reading the store from outside after an erasure does not remove the log, and a kill loses no charge',
  async () => {
    const service = await openWatchedService()
    const path = join(service.folder, 'data', 'vitae.db')
    const { key } = await service.makeKey()
    expect((await ask(service, key, 'ada')).status).toBe(200)
    await service.admin('POST', '/records/people/ada/erase', { reason: 'asked for' })
    const { ino } = statSync(`${path}-wal`)

    // sqlite3 up to 3.40 removes the log on exit, unless the service holds its lock.
    const looked = spawnSync('sqlite3', [path, 'select count(*) > 0 from ledger_entries'], { encoding: 'utf8' })

    expect(looked).toMatchObject({ status: 0, stdout: '1\n' })
    expect(statSync(`${path}-wal`).ino).toBe(ino)
    for (let index = 0; index < 5; index++) expect((await ask(service, key, `bea-${index}`)).status).toBe(200)
    process.kill(service.pid, 'SIGKILL')
    await expect.poll(() => service.isAlive()).toBe(false)
    expect(paidIn(path)).toBe(6)
  },
)

test.each(['vitae.db-wal', 'vitae.db-shm'])(
  'without its %s the service refuses calls with a reason, has saved everything, and does not start on less',
  async (name) => {
    const service = await openWatchedService()
    const data = join(service.folder, 'data')
    const { key } = await service.makeKey()
    for (const id of ['ada', 'bea']) expect((await ask(service, key, id)).status).toBe(200)

    rmSync(join(data, name))
    const refused = await ask(service, key, 'ada')

    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('5')
    expect(await refused.json()).toMatchObject({ code: 'store_unavailable' })
    const ready = await fetch(`${service.url}/readyz`)
    const fault = expect.stringContaining(`${name} was deleted or replaced while it was in use`)
    expect([ready.status, await ready.json()]).toMatchObject([503, { checks: { store_fault: fault } }])
    const saved = () => readdirSync(data).find((file) => /^vitae\.db\.saved-\w+$/.test(file))
    await expect.poll(saved).toBeDefined()
    // It keeps refusing.
    expect((await ask(service, key, 'cleo')).status).toBe(503)
    const place = join(data, saved() ?? '')
    const { stdout } = await service.end()
    expect(stdout).toContain(`so no calls are accepted: a full copy is in ${place}`)

    const env = { PATH: process.env['PATH'] ?? '', PORT: '0', VITAE_DATA_DIR: data }
    const again = spawnSync(process.execPath, serve, { env, encoding: 'utf8', timeout: 100_000 })
    expect(again).toMatchObject({ status: 1, stderr: expect.stringContaining(place) })
    for (const file of ['vitae.db-wal', 'vitae.db-shm']) rmSync(join(data, file), { force: true })
    renameSync(place, join(data, 'vitae.db'))
    expect(paidIn(join(data, 'vitae.db'))).toBeGreaterThanOrEqual(2)
    const restarted = new ChildService(serve, { ...env, LOG_LEVEL: 'info' })
    expect(await restarted.url).toContain('http')
    await restarted.stop('SIGTERM')
  },
)
