import { overSqlite } from '../../harness/engines.ts'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { creditOperations } from '../../../src/credits/operations.ts'
import { openSqlite } from '../../../src/database/sqlite/connection/sqlite.ts'
import { askAdmin } from '../../harness/ask-admin.ts'
import { ChildService, serveWith } from '../../harness/child-service.ts'
import { possible, promised, type AnsweredCalls, type Call, type Moments } from './answered-calls.ts'
import type { Loss } from './find-losses.ts'
import { payFor, type Reached } from './load.ts'

const readyWithinMs = 60_000
const replays = 5

/** Starts `vitae serve` on a folder; `ready` rejects if it is not ready in time. */
export function startOn(folder: string, env: Record<string, string>, flags: readonly string[] = []) {
  const child = new ChildService([...flags, ...serveWith({ maxLagMs: 600_000, idempotencyWaitMs: 1_000 })], {
    VITAE_DATA_DIR: folder,
    LOG_LEVEL: 'info',
    VITAE_RATE_LIMIT: '100000000/60s',
    ...env,
  })
  const late = pause(readyWithinMs, null, { ref: false }).then(() => {
    throw new Error('the service did not say in time that it is ready')
  })
  const ready = Promise.race([child.url, late])
  ready.catch(() => undefined)
  return { child, ready }
}

/**
 * Starts the real service on the state after a power cut, and repeats interrupted calls under their old idempotency
 * values. After that every call must be paid exactly once.
 */
export async function lossesInRestart(
  folder: string,
  env: Record<string, string>,
  answered: AnsweredCalls,
  moments: Moments,
): Promise<Loss[]> {
  const { child, ready } = startOn(folder, env)
  let losses: Loss[]
  try {
    const service = { url: await ready, token: answered.secrets.get('admin-token')?.trim() ?? '' }
    // After an interrupted first start, only the success of the next start is checked.
    if (promised(answered.grants, moments).length === 0) return []
    losses = await lossesInRunning(service, answered, moments)
  } catch (error) {
    return [{ of: 'restart', what: String(error) }]
  } finally {
    await child.stop('SIGKILL')
  }
  return [...losses, ...(await lossesInPaid(folder, answered, moments))]
}

async function lossesInRunning(service: Reached, answered: AnsweredCalls, moments: Moments): Promise<Loss[]> {
  const losses: Loss[] = []
  await Promise.all(repeatable(answered, possible(answered.calls, moments)).map((call) => payFor(service.url, call)))
  for (const call of repeatable(answered, promised(answered.calls, moments)).slice(-replays)) {
    const { charged } = await payFor(service.url, call)
    if (charged !== 0) losses.push({ of: 'charge', what: `${call.value} costs ${charged} once more` })
  }
  const ledger = await askAdmin<{ ok: boolean }>(service, 'GET', '/ledger/verify')
  if (!ledger.ok) losses.push({ of: 'ledger', what: JSON.stringify(ledger) })
  return [...losses, ...(await lossesInDoors(service, answered, moments))]
}

/** Other calls may be refused now: their key was revoked or their person was erased since. */
function repeatable(answered: AnsweredCalls, calls: Call[]): Call[] {
  const erased = new Set(answered.erasures.map(({ slug }) => slug))
  return calls.filter(({ key, slug }) => key === answered.keys[0]?.key && !erased.has(slug))
}

/** The last key works, the last revoked one does not, and the person erased last is not found. */
async function lossesInDoors({ url }: Reached, answered: AnsweredCalls, moments: Moments): Promise<Loss[]> {
  const statusOf = async (path: string, key = '') => {
    const response = await fetch(`${url}/v1/people/profile${path}`, { headers: { ApiKey: key } })
    await response.arrayBuffer()
    return response.status
  }
  const free = '/preflight?profile_id=often-0'
  const revoked = new Set(answered.revocations.map(({ id }) => id))
  const open = promised(answered.keys, moments).findLast(({ id }) => !revoked.has(id))
  const shutId = promised(answered.revocations, moments).at(-1)?.id
  const shut = answered.keys.find(({ id }) => id === shutId)
  const gone = promised(answered.erasures, moments).at(-1)
  const losses: Loss[] = []
  if ((await statusOf(free, open?.key)) !== 200) losses.push({ of: 'key', what: `${open?.id} opens no longer` })
  if (shut && (await statusOf(free, shut.key)) !== 401) losses.push({ of: 'key', what: `${shut.id} opens again` })
  if (gone && (await statusOf(`?profile_id=${gone.slug}`, answered.keys[0]?.key)) !== 404)
    losses.push({ of: 'erasure', what: `${gone.slug} is served` })
  return losses
}

async function lossesInPaid(folder: string, answered: AnsweredCalls, moments: Moments): Promise<Loss[]> {
  const database = overSqlite(openSqlite(join(folder, 'vitae.db')))
  const { db } = database
  try {
    const entries = await db
      .selectFrom('ledger_entries')
      .select('amount')
      .where('kind', 'in', ['charge', 'capture'])
      .execute()
    const { differences } = await creditOperations.verifyLedger(database)
    const paid = entries.reduce((sum, { amount }) => sum + amount, 0)
    const unsure = possible(answered.calls, moments)
    const atLeast = promised(answered.calls, moments).length + repeatable(answered, unsure).length
    const atMost = promised(answered.calls, moments).length + unsure.length
    const losses = differences.map((one): Loss => ({ of: 'ledger', what: JSON.stringify(one) }))
    if (paid >= atLeast && paid <= atMost) return losses
    return [...losses, { of: 'charge', what: `${paid} are paid after the retries, of ${atLeast} to ${atMost}` }]
  } finally {
    await db.destroy()
  }
}
