import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import type { FakeProvider } from '../../fake-provider/fake-provider.ts'
import type { FixedValues } from '../../src/config/fixed-values.ts'
import { startFakeProvider } from '../../fake-provider/start-fake-provider.ts'
import { askAdmin } from './ask-admin.ts'
import { ChildService, serveWith, type Ended } from './child-service.ts'

const watch = join(import.meta.dirname, 'watch-process.ts')

/** A service in its own process with a fake provider. Tests can inspect its log, its connections and its exit. */
export interface WatchedService {
  url: string
  port: number
  pid: number
  token: string
  folder: string
  upstream: FakeProvider
  admin<T>(method: string, path: string, body?: unknown): Promise<T>
  makeKey(wish?: Record<string, unknown>): Promise<{ id: string; key: string }>
  balance(): Promise<number>
  isAlive(): boolean
  /** Stops it and returns everything that it wrote. */
  end(): Promise<Ended & { watched: string[] }>
  /** Removes all its files. */
  close(): Promise<void>
}

const credits = 1_000_000
/** A machine that runs many tests at once is slow, but not overloaded. */
const patient = { maxLagMs: 600_000 }
const readyWithinMs = 120_000

/** A watched service for one test. It is closed when the test ends. */
export async function openWatchedService(...options: Parameters<typeof startWatchedService>): Promise<WatchedService> {
  const service = await startWatchedService(...options)
  onTestFinished(() => service.close())
  return service
}

/** Starts a watched service with a project `acme` that has a million credits. */
export async function startWatchedService(
  env: Record<string, string> = {},
  imports: string[] = [],
  wrapper: string[] = [],
  fixed: Partial<FixedValues> = patient,
): Promise<WatchedService> {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-hard-'))
  const watchFile = join(folder, 'watched.txt')
  writeFileSync(watchFile, '')
  const upstream = await startFakeProvider({ provider: 'mirror', generate: true })
  const token = 'owner-token-of-a-watched-service'
  const program = [...[watch, ...imports].flatMap((path) => ['--import', path]), ...serveWith(fixed)]
  const settings = {
    LOG_LEVEL: 'trace',
    VITAE_DATA_DIR: join(folder, 'data'),
    VITAE_ADMIN_TOKEN: token,
    VITAE_RATE_LIMIT: '100000000/60s',
    VITAE_UNAUTHORIZED_RATE: '100000000/60s',
    VITAE_UPSTREAM: 'mirror',
    VITAE_MIRROR_URL: upstream.url,
    VITAE_MIRROR_KEY: upstream.key,
    VITAE_TEST_WATCH: watchFile,
    ...env,
  }
  const child = new ChildService(program, settings, wrapper)
  const close = async () => {
    await child.stop('SIGKILL')
    await upstream.close()
    rmSync(folder, { recursive: true, force: true })
  }
  // The service prints its URL at level info. If it never does, it must not outlive the waiting test.
  const late = pause(readyWithinMs, null, { ref: false }).then(() => {
    throw new Error('the service did not say in time that it is ready')
  })
  const url = await Promise.race([child.url, late]).catch(async (error: unknown) => {
    await close()
    throw error
  })
  const admin = <T>(method: string, path: string, body?: unknown) => askAdmin<T>({ url, token }, method, path, body)
  const place = { project: 'acme', environment: 'production' }
  const makeKey = (wish = {}) =>
    admin<{ id: string; key: string }>('POST', '/keys', { ...place, mode: 'live', ...wish })
  await makeKey()
  await admin('POST', '/credits/grants', { ...place, amount: credits })
  return {
    url,
    port: Number(new URL(url).port),
    pid: child.process.pid ?? 0,
    token,
    folder,
    upstream,
    admin,
    makeKey,
    async balance() {
      const path = '/credits/balance?project=acme&environment=production'
      return (await admin<{ balance: number }>('GET', path)).balance
    },
    close,
    isAlive: () => child.process.exitCode === null && child.process.signalCode === null,
    async end() {
      const ended = await child.stop('SIGTERM')
      return { ...ended, watched: readFileSync(watchFile, 'utf8').split('\n').filter(Boolean) }
    },
  }
}
