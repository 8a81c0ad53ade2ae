import { onTestFinished } from 'vitest'
import { creditOperations, grantOperations, usageOperations } from '../../src/credits/operations.ts'
import { defaultBook } from '../../src/credits/prices/price-books.ts'
import type { UsageAsk, UsageCount } from '../../src/credits/reports/usage-ask.ts'
import { operations } from '../../src/app/store/operations.ts'
import type { WholeStore } from '../../src/app/store/service-store.ts'
import { storeOn } from '../harness/store-on.ts'
import { NotedVersions } from '../../src/credits/environment-lines.ts'
import type { Decision, SettleRequest } from '../../src/credits/decision/settlement-requests.ts'
import { decodeOutcomes, encodeBatch } from '../../src/credits/store/settlement-wire.ts'
import type { OpenDatabase, Engine } from '../harness/engines.ts'
import type { KeyRow } from '../../src/database/tables/accounts.ts'
import { noon } from './requests.ts'

export const acme = { project: 'acme', environment: 'production' }

/** An open store with one project, one environment with the given credits, and one live key `k1`. */
export async function openLedger(engine: Engine, credits: number) {
  const database = await engine.open()
  onTestFinished(() => database.close())
  const environmentId = await addEnvironment(database, acme, credits)
  await addKey(database, environmentId, { id: 'k1' })
  return { database, environmentId }
}

export async function addEnvironment(database: OpenDatabase, name: typeof acme, credits: number): Promise<number> {
  const { db } = database
  const { project, environment } = name
  await db
    .insertInto('projects')
    .values({ name: project, suspended: 0, billing_blocked: 0, created_at: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { id } = await db
    .insertInto('environments')
    .values({ project, name: environment, balance: 0, held: 0, created_at: 0 })
    .returning('id')
    .executeTakeFirstOrThrow()
  const grant = { ...name, amount: credits, actor: 'owner', at: noon }
  if (credits > 0) await grantOperations.grantCredits(database, grant)
  return id
}

export async function addKey(
  { db }: OpenDatabase,
  environmentId: number,
  key: { id: string } & Partial<
    Pick<KeyRow, 'ceiling' | 'daily_ceiling' | 'days_from' | 'expires_at' | 'revoked_at' | 'spend_id'>
  >,
): Promise<void> {
  const {
    id,
    ceiling = null,
    daily_ceiling = null,
    days_from = null,
    expires_at = null,
    revoked_at = null,
    spend_id = id,
  } = key
  const unused = { label: null, rate_limit: null, rate_window_ms: null, endpoints: null, parts: null, networks: null }
  await db
    .insertInto('keys')
    .values({
      ...unused,
      id,
      hash: `hash of ${id}`,
      display: `vt_live_${id}`,
      project: 'acme',
      environment_id: environmentId,
      mode: 'live',
      ceiling,
      daily_ceiling,
      days_from,
      expires_at,
      created_at: 0,
      last_used_at: null,
      revoked_at,
      revoked: 0,
      spend_id,
      rotated_from: null,
    })
    .execute()
}

/** Settles like the service: requests and decisions cross as text. */
export async function settleAll(
  database: OpenDatabase,
  requests: SettleRequest[],
  retry = false,
  noted = new NotedVersions(),
): Promise<Decision[]> {
  const batch = encodeBatch({ requests, retry, toNote: noted.toNote(requests) })
  const outcomes = decodeOutcomes(await creditOperations.settle(database, batch))
  noted.settled(requests, outcomes)
  return outcomes.map((outcome) => {
    if (outcome.outcome === 'busy') throw new Error('an environment was not waited for')
    return outcome
  })
}

export async function settleOne(database: OpenDatabase, request: SettleRequest, retry = false): Promise<Decision> {
  const [decision] = await settleAll(database, [request], retry)
  if (!decision) throw new Error('no decision')
  return decision
}

const usualPrices = { people: 1, companies: 1, lines: [] }

/** All operations, over an open store. */
export function storeOf(database: OpenDatabase): WholeStore {
  return storeOn(database, operations)
}

/** The dependencies that read and close statements, over an open store. */
export function statementDeps(database: OpenDatabase) {
  return { store: storeOf(database), prices: { variables: defaultBook(usualPrices) }, currency: 'EUR' }
}

/** All counts of usage. */
export async function countedUsage(database: OpenDatabase, ask: UsageAsk): Promise<UsageCount[]> {
  const [counts = []] = await usageOperations.countUsage(database, { ask })
  return counts
}
