import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openWatchedService } from '../harness/watched-service.ts'

const hasLimits = !spawnSync('prlimit', ['--version']).error
if (!hasLimits) console.warn('NOT RUN: a disk without room, because there is no prlimit on this machine.')

/** No file of the process may grow beyond this: what a full disk is to whoever writes. */
function limitFiles(pid: number, bytes: number | 'unlimited'): void {
  const { status, stderr } = spawnSync('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:unlimited`], { encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(status).toBe(0)
}

test.skipIf(!hasLimits).each(['1', '2'])(
  'a disk without room is a 503 that costs nothing and is named in the log, and with room all is well again, with VITAE_WORKERS=%s',
  async (workers) => {
    const service = await openWatchedService({ VITAE_WORKERS: workers })
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
  120_000,
)
