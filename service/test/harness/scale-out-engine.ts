import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import type { FixedValues } from '../../src/config/fixed-values.ts'
import { createLog } from '../../src/foundation/log.ts'
import type { Engine } from '../../src/app/deps/engine.ts'
import { openEngine } from '../../src/app/open-engine.ts'
import { busyMachine } from './child-service.ts'
import { openOwnDatabase, type Content } from './engines.ts'
import { startRedis } from './start-engines.ts'

/** Whether this machine has the engines. The setup has already reported missing ones. */
export const hasEngines = Boolean(process.env['TEST_POSTGRES_URL'] && process.env['TEST_REDIS_URL'])
if (!hasEngines && process.env['VITEST'])
  console.warn('NOT RUN: tests of many nodes, because there is no PostgreSQL or no Redis.')

/** A data folder that is removed after the test. */
export function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-node-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A database that is dropped after the test. */
export async function ownDatabase(content?: Content): Promise<string> {
  const { url, drop } = await openOwnDatabase(content)
  onTestFinished(drop)
  return url
}

export interface OwnRedis {
  url: string
  kill(): Promise<void>
  freeze(): void
  thaw(): void
  /** Restarts on the same port with empty data. */
  restart(): Promise<void>
}

/** A separate Redis that a test may kill and freeze. */
export async function ownRedis(): Promise<OwnRedis> {
  const folder = ownFolder()
  const started = await startRedis(folder)
  if (!started) throw new Error('NOT RUN: there is no redis-server')
  let running = started
  onTestFinished(() => running.stop())
  return {
    url: running.url,
    kill: () => running.stop(),
    freeze: () => void running.process.kill('SIGSTOP'),
    thaw: () => void running.process.kill('SIGCONT'),
    async restart() {
      running = (await startRedis(folder, running.port)) ?? running
    },
  }
}

/** The engine of a node, opened as the service opens it. */
export async function openNode(
  databaseUrl: string,
  redisUrl: string | null,
  env: Record<string, string> = {},
  fixed: Partial<FixedValues> = busyMachine,
): Promise<Engine> {
  const all = {
    DATABASE_URL: databaseUrl,
    ...(redisUrl === null ? {} : { REDIS_URL: redisUrl }),
    VITAE_DATA_DIR: ownFolder(),
    ...env,
  }
  const config = readConfig(all, { fixed })
  const onFatal = (error: Error) => {
    throw error
  }
  const engine = await openEngine({ config, log: createLog('silent', false), onFatal })
  onTestFinished(() => engine.close())
  return engine
}

/** A proxy to a server that can be cut: its users lose the server, others keep it. */
export async function cuttableWay(url: string): Promise<{ url: string; cut(): void; mend(): void }> {
  const target = new URL(url)
  const { port, hostname } = target
  const open = new Set<Socket>()
  let isCut = false
  const server = createServer((near) => {
    if (isCut) return void near.destroy()
    const far = connect(Number(port), hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from)
      from.pipe(to)
      from.on('error', () => to.destroy()).on('close', () => open.delete(from) && to.destroy())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('no port')
  const cut = () => {
    isCut = true
    for (const socket of open) socket.destroy()
  }
  onTestFinished(() => {
    cut()
    server.close()
  })
  target.port = String(address.port)
  target.hostname = '127.0.0.1'
  return { url: target.href, cut, mend: () => void (isCut = false) }
}

/** Less than the patience of a test, so that the failure names the condition. */
const patienceMs = 300_000

/** Waits for a condition, at most for the given time. */
export async function until(what: () => boolean | Promise<boolean>, withinMs = patienceMs): Promise<void> {
  const ends = performance.now() + withinMs
  // Checks less and less often, because checking costs more than waiting.
  for (let pauseMs = 10; !(await what()); pauseMs = Math.min(pauseMs * 1.3, 250)) {
    if (performance.now() > ends) throw new Error(`not within ${withinMs} ms: ${what.toString()}`)
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}
