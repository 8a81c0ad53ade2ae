import { join } from 'node:path'
import startFlags from '../../../cli/bin/start-flags.json' with { type: 'json' }
import { freePort } from '../process/free-port.ts'
import { account } from '../stores/made-store.ts'
import { startProcess, untilAnswers } from '../process/start-process.ts'
import type { Store } from '../stores/stores.ts'
import type { Account, Contestant } from './contestant.ts'

interface StartOptions {
  name: string
  store: Store
  cores: string | null
  mode?: 'live' | 'test'
  env?: Record<string, string>
  /** Further processes that work for it. */
  pids?: number[]
}

/** Vitae always has an account, to check that a test key does not change its balance. */
export interface Vitae extends Contestant {
  account: Account
}

const command = join(import.meta.dirname, '../../../cli/bin/vitae.js')
/** The admin token of every Vitae process of the benchmark. */
export const adminToken = 'bench-admin-token-of-this-run'

/** Starts a Vitae process as an operator would, with a rate limit that is never reached. */
export function launchVitae({ name, store, cores, env = {} }: StartOptions, port: number) {
  return startProcess({
    name,
    command: process.execPath,
    args: [...startFlags, command, 'serve'],
    cores,
    env: {
      PORT: String(port),
      LOG_LEVEL: 'warn',
      VITAE_DATA_DIR: store.dataDir,
      VITAE_ADMIN_TOKEN: adminToken,
      VITAE_RATE_LIMIT: '999999999/60s',
      ...env,
    },
  })
}

/** Starts Vitae on a generated store and waits until it answers. */
export async function startVitae(options: StartOptions): Promise<Vitae> {
  const { name, store, mode = 'live', pids = [] } = options
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const service = launchVitae(options, port)
  await untilAnswers(`${url}/healthz`, {}, service)
  return {
    name,
    url,
    keys: mode === 'live' ? store.liveKeys : [store.testKey],
    pids: [service.pid, ...pids],
    account: { price: mode === 'live' ? 1 : 0, balance: () => readBalance(url) },
    stop: service.stop,
  }
}

/** Creates a key whose environment can pay for a few calls, or for the given number, and returns its text. */
export async function createKey(
  url: string,
  key: { project: string; environment: string; [setting: string]: string },
  amount = 10,
): Promise<string> {
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
  const post = async (path: string, body: object): Promise<unknown> => {
    const response = await fetch(`${url}/admin/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return response.json()
  }
  const made = await post('/keys', key)
  const { project, environment } = key
  await post('/credits/grants', { project, environment, amount })
  if (typeof made !== 'object' || made === null || !('key' in made)) throw new Error(JSON.stringify(made))
  return String(made.key)
}

async function readBalance(url: string): Promise<number> {
  const query = new URLSearchParams(account)
  const headers = { authorization: `Bearer ${adminToken}` }
  const response = await fetch(`${url}/admin/v1/credits/balance?${query.toString()}`, { headers })
  const body: unknown = await response.json()
  const isBalance = typeof body === 'object' && body !== null && 'balance' in body && typeof body.balance === 'number'
  if (!isBalance) throw new Error(`the balance cannot be read: ${response.status} ${JSON.stringify(body)}`)
  return Number(body.balance)
}
