import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { askAdmin } from '../../service/test/harness/ask-admin.ts'
import { serveWith } from '../../service/test/harness/child-service.ts'

const token = 'owner-token-for-reliability'
const account = { project: 'acme', environment: 'production' }

export interface RunningService {
  url: string
  pid: number
  /** Its output so far. */
  written(): string
  isAlive(): boolean
  admin<T>(method: string, path: string, body?: unknown): Promise<T>
  makeKey(mode: 'live' | 'test'): Promise<string>
  grant(amount: number): Promise<unknown>
  balance(): Promise<number>
  /** The status and the charge of one lookup; status 0 without a response. */
  ask(
    id: string,
    key: string,
    headers?: Record<string, string>,
  ): Promise<{ status: number; charged: number; code: string }>
  residentMegabytes(): Promise<number>
  signal(name: NodeJS.Signals): void
  end(name?: NodeJS.Signals): Promise<number | null>
}

/** Starts `vitae serve` on a folder and waits until it is ready. Throws with its output if it ends instead. */
export async function startService(
  folder: string,
  env: Record<string, string> = {},
  flags: string[] = [],
  spawned: (pid: number) => void = () => undefined,
): Promise<RunningService> {
  const child = spawn(process.execPath, [...flags, ...serveWith({ maxLagMs: 60_000 })], {
    env: {
      ...{ PATH: process.env['PATH'] ?? '', HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'info' },
      ...{ VITAE_DATA_DIR: folder, VITAE_ADMIN_TOKEN: token },
      ...{ VITAE_RATE_LIMIT: '100000000/60s', VITAE_UNAUTHORIZED_RATE: '100000000/60s' },
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  if (child.pid !== undefined) spawned(child.pid)
  let written = ''
  const ready = Promise.withResolvers<string>()
  const hear = (text: string) => {
    // Keeps only the end of the output of a long run.
    written = (written + text).slice(-1_000_000)
    const url = /"url":"(http:[^"]+)"/.exec(written)?.[1]
    if (url) ready.resolve(url)
  }
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', hear)
  const ended = once(child, 'close').then(() => {
    ready.reject(new Error(`it ended with ${child.exitCode ?? child.signalCode}: ${written.trim()}`))
    return child.exitCode
  })
  const url = await ready.promise
  const admin = <T>(method: string, path: string, body?: unknown) => askAdmin<T>({ url, token }, method, path, body)
  return {
    url,
    pid: child.pid ?? 0,
    written: () => written,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    admin,
    makeKey: async (mode) => (await admin<{ key: string }>('POST', '/keys', { ...account, mode })).key,
    grant: (amount) => admin('POST', '/credits/grants', { ...account, amount }),
    async balance() {
      const path = `/credits/balance?project=${account.project}&environment=${account.environment}`
      return (await admin<{ balance: number }>('GET', path)).balance
    },
    ask: (id, key, headers = {}) => askPerson(url, id, { ApiKey: key, ...headers }),
    async residentMegabytes() {
      const text = await (await fetch(`${url}/metrics`)).text()
      return Math.round(Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1]) / 1_048_576)
    },
    signal: (name) => void child.kill(name),
    end(name = 'SIGTERM') {
      child.kill(name)
      return ended
    },
  }
}

async function askPerson(url: string, id: string, headers: Record<string, string>) {
  try {
    const signal = AbortSignal.timeout(30_000)
    const response = await fetch(`${url}/v1/people/profile?profile_id=${encodeURIComponent(id)}`, { headers, signal })
    const text = await response.text()
    const code = /"code":"(\w+)"/.exec(text)?.[1] ?? (text.length < 50 ? text : '')
    return { status: response.status, charged: Number(response.headers.get('x-credits-charged') ?? 0), code }
  } catch {
    return { status: 0, charged: 0, code: 'no answer' }
  }
}
