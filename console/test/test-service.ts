import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Kind } from '@vitae/contract'
import { readConfig } from '../../service/src/config/config.ts'
import type { FixedValues } from '../../service/src/config/fixed-values.ts'
import { ensureDemo, type DemoKeys } from '../../service/src/app/demo.ts'
import { buildService } from '../../service/src/app/build-service.ts'
import { listen } from '../../service/src/app/listen.ts'
import { migratedStore } from '../../service/test/harness/engines.ts'
import { keptThread } from '../../service/test/harness/kept-threads.ts'
import { logTo, type TestOptions } from '../../service/test/harness/test-service.ts'
import { ensureBuilt } from './built-console.ts'

/** A complete service on a free port, with the demo project, and an adjustable clock. */
export interface TestService {
  url: string
  /** The folder of its store. */
  folder: string
  ownerToken: string
  demo: DemoKeys
  /** Sets the offset of the service's clock from the real one. */
  setClockOffset: (ms: number) => void
  /** One call of the admin API with the owner's token. Throws unless it succeeds. */
  admin<T>(method: string, path: string, body?: unknown): Promise<T>
  lookup(kind: Kind, id: string, key: string, options?: string): Promise<Response>
  close: () => Promise<void>
}

const ownerToken = 'the-owner-token-of-a-test'
const lookupPaths = { people: '/v1/people/profile?profile_id=', companies: '/v1/companies/details?company_id=' }

/** Starts the service like `vitae serve --demo`, in this process. */
export async function startService(
  env: Record<string, string> = {},
  onLogLine?: TestOptions['onLogLine'],
  fixed?: Partial<FixedValues>,
): Promise<TestService> {
  ensureBuilt()
  const folder = mkdtempSync(join(tmpdir(), 'vitae-console-'))
  if (!env['DATABASE_URL']) writeFileSync(join(folder, 'vitae.db'), await migratedStore())
  const usual = { VITAE_DATA_DIR: folder, PORT: '0', VITAE_ADMIN_TOKEN: ownerToken, VITAE_UPSTREAM: 'directory' }
  const config = readConfig({ ...usual, ...env }, fixed ? { fixed } : {})
  let offsetMs = 0
  const clock = { now: () => Date.now() + offsetMs, elapsed: () => performance.now() + offsetMs }
  const onFatal = (error: Error) => {
    throw error
  }
  const service = await buildService({ config, clock, log: logTo(onLogLine), onFatal, startThread: keptThread })
  const demo = await ensureDemo(service.folder, service.store, clock)
  const listeners = await listen(service, config)
  await service.batchRunner.start()
  service.exportRunner.start()
  return {
    url: listeners.url,
    folder,
    ownerToken,
    demo,
    setClockOffset: (ms) => void (offsetMs = ms),
    async admin<T>(method: string, path: string, body?: unknown) {
      const answer = await fetch(`${listeners.url}/admin/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${ownerToken}`, 'content-type': 'application/json' },
        body: method === 'GET' ? null : JSON.stringify(body ?? {}),
      })
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
      return (await answer.json()) as T
    },
    lookup: (kind, id, key, options = '') =>
      fetch(`${listeners.url}${lookupPaths[kind]}${encodeURIComponent(id)}${options}`, { headers: { ApiKey: key } }),
    async close() {
      await listeners.close()
      await service.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
