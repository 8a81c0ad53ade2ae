import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { skewedEnv } from './clock-skews.ts'
import { askAdmin } from './ask-admin.ts'
import { busyMachine, serveWith, type Program } from './child-service.ts'
import { freePort } from './start-engines.ts'
import { until } from './scale-out-engine.ts'

export const token = 'a-token-for-many-nodes'
const patient = serveWith(busyMachine)

/** A node as operators run it: its own process, which tests can kill and restart on the same port. */
export class NodeProcess {
  readonly port: number
  readonly folder = mkdtempSync(join(tmpdir(), 'vitae-process-'))
  /** The clock error of its next start. */
  clockAheadMs = 0
  readonly #env: Record<string, string>
  readonly #program: Program
  #child: ChildProcess | null = null
  #said = ''

  constructor(port: number, env: Record<string, string>, program: Program = patient) {
    this.port = port
    this.#env = env
    this.#program = program
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  async start(): Promise<void> {
    this.#child = spawn(process.execPath, this.#program, {
      // Not the checkout, which may contain the developer's .env.
      cwd: import.meta.dirname,
      env: {
        PATH: process.env['PATH'] ?? '',
        PORT: String(this.port),
        VITAE_DATA_DIR: this.folder,
        VITAE_ADMIN_TOKEN: token,
        VITAE_RATE_LIMIT: '1000000/1s',
        VITAE_UPSTREAM: 'directory',
        LOG_LEVEL: 'warn',
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(tmpdir(), 'vitae-compile-cache'),
        ...this.#env,
        ...skewedEnv(this.clockAheadMs),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (text: Buffer) => (this.#said = (this.#said + text.toString()).slice(-10_000)))
    await until(async () => {
      if (this.#child?.exitCode !== null) throw new Error(`the node ended at its start: ${this.#said}`)
      return isReady(this.url)
    })
  }

  /** Its recent output, for failure messages. */
  get said(): string {
    return this.#said
  }

  /** Returns its exit code; null if the signal itself ended it. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null
    const ended = once(child, 'exit')
    child.kill('SIGCONT')
    child.kill(signal)
    await ended
    return child.exitCode
  }

  async close(): Promise<void> {
    await this.end('SIGKILL')
    rmSync(this.folder, { recursive: true, force: true })
  }
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(30_000) })).ok
  } catch {
    return false
  }
}

/** Starts the given number of nodes with one environment. */
export async function startNodes(
  count: number,
  env: Record<string, string>,
  program: Program = patient,
): Promise<NodeProcess[]> {
  const nodes: NodeProcess[] = []
  for (let index = 0; index < count; index++) nodes.push(new NodeProcess(await freePort(), env, program))
  try {
    await Promise.all(nodes.map((node) => node.start()))
    return nodes
  } catch (error) {
    // Stops the nodes that did start.
    await Promise.all(nodes.map((node) => node.close()))
    throw error
  }
}

export const hasBalancer = !spawnSync('haproxy', ['-v'], { env: withSbin() }).error
if (!hasBalancer && process.env['VITEST'])
  console.warn('NOT RUN: tests behind a load balancer, because there is no haproxy on this machine.')

/** HAProxy in front of nodes, round robin, without a retry on another node. */
export async function startBalancer(nodes: readonly NodeProcess[]): Promise<{ url: string; close(): Promise<void> }> {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'vitae-balancer-'))
  const path = join(folder, 'haproxy.cfg')
  const servers = nodes.map((node, index) => `  server node${index} 127.0.0.1:${node.port}`)
  const lines = [
    'global\n  maxconn 4000',
    'defaults\n  mode http\n  retries 0\n  timeout connect 5s\n  timeout client 120s\n  timeout server 120s',
    `frontend callers\n  bind 127.0.0.1:${port}\n  default_backend nodes`,
    `backend nodes\n  balance roundrobin\n${servers.join('\n')}`,
  ]
  writeFileSync(path, `${lines.join('\n')}\n`)
  const child = spawn('haproxy', ['-f', path, '-db'], { stdio: 'ignore', env: withSbin() })
  const url = `http://127.0.0.1:${port}`
  await until(() => isReady(url))
  return {
    url,
    async close() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function withSbin(): Record<string, string> {
  return { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` }
}

/** Calls the admin API of a node. */
export function admin<T = Record<string, unknown>>(
  url: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<T> {
  return askAdmin<T>({ url, token }, method, path, body)
}

/** A live key with credits, in a new project. */
export async function newKey(
  url: string,
  project: string,
  credits: number,
  settings: Record<string, unknown> = {},
): Promise<{ id: string; key: string; balance(): Promise<number> }> {
  const place = { project, environment: 'production' }
  const made = await admin<{ id: string; key: string }>(url, 'POST', '/keys', { ...place, mode: 'live', ...settings })
  await admin(url, 'POST', '/credits/grants', { ...place, amount: credits })
  const balance = async () =>
    (await admin<{ balance: number }>(url, 'GET', `/credits/balance?${new URLSearchParams(place).toString()}`)).balance
  return { ...made, balance }
}

/** Sends the given number of calls with limited concurrency, and counts their outcomes by status. */
export async function burst(
  count: number,
  atOnce: number,
  call: (index: number) => Promise<number | string>,
): Promise<Record<string, number>> {
  const ends: Record<string, number> = {}
  let next = 0
  const caller = async () => {
    while (next < count) {
      const end = await call(next++)
      ends[end] = (ends[end] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: atOnce }, caller))
  return ends
}

/** One lookup; the status, with the code of a failure. */
export async function lookUp(
  url: string,
  key: string,
  name: string,
  more: Record<string, string> = {},
): Promise<string> {
  const response = await fetch(`${url}/v1/people/profile?profile_id=${encodeURIComponent(name)}`, {
    headers: { ApiKey: key, ...more },
  })
  const text = await response.text()
  if (response.status === 200) return '200'
  const code = response.headers.get('content-type')?.includes('json')
    ? (JSON.parse(text) as { code: string }).code
    : text
  return `${response.status} ${code}`
}
