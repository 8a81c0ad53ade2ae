import type { Connection } from '../../database/engine/dialect.ts'
import type { BilledCall } from '../decision/ledger-draft.ts'
import { decideSettlement } from '../decision/decide-settlement.ts'
import { remainingCreditsOf } from '../decision/spending-rules.ts'
import { type LedgerSnapshot, usualAlerts, type PayingEnvironment } from '../decision/ledger-snapshot.ts'
import { readLedger } from './read-ledger.ts'
import type { Decision, SettleRequest, Verdict } from '../decision/settlement-requests.ts'
import { padded, selectIn, insertRows, overTuples, type Value } from '../../database/sql/prepared.ts'
import {
  decodeBatch,
  encodeOutcomes,
  isPayment,
  type Outcome,
  type SentBatch,
  type SentOutcomes,
  type SettlementBatch,
} from './settlement-wire.ts'
import { findSuperseded } from '../../work/leases.ts'
import { writeLedger } from './write-ledger.ts'
import { isStatementTimeout, lockTimeout } from '../../database/engine/lost-connection.ts'

/** `settle` as an operation: a batch that was sent as text is answered as text. */
export async function settleSent(connection: Connection, sent: SentBatch): Promise<SentOutcomes> {
  const outcomes = await settle(connection, decodeBatch(sent))
  return typeof sent === 'string' ? encodeOutcomes(outcomes) : outcomes
}

/** Settles a batch inside one transaction. A refused request does not affect the others. */
export async function settle(connection: Connection, batch: SettlementBatch): Promise<Outcome[]> {
  const { requests, wait = true } = batch
  if (requests.length === 0) return []
  const read = await lockAndRead(connection, batch)
  const { environments } = read.before
  // Without waiting, an environment that was not found may be locked or missing: only an attempt that waits can tell.
  const isBusy = wait || !connection.dialect.locksRows ? () => false : (id: number) => !environments.has(id)
  const own = requests.filter((request) => !isBusy(request.environmentId))
  const decisions = (await settleLocked(connection, read, { ...batch, requests: own })).values()
  return requests.map((request) => {
    if (isBusy(request.environmentId)) return { outcome: 'busy' }
    const decision = decisions.next().value
    if (!decision) throw new Error(`no decision on request ${request.requestId}`)
    return decision
  })
}

interface ReadBatch {
  before: LedgerSnapshot
  /** The verdicts of an earlier attempt. */
  settled: ReadonlyMap<string, Verdict>
  superseded: ReadonlySet<SettleRequest>
}

/** Locks the environments first and reads afterwards: a first attempt that is still committing holds the locks. */
async function lockAndRead(
  statements: Connection,
  { requests, retry = false, wait = true }: SettlementBatch,
): Promise<ReadBatch> {
  // These statements run in this order, although PostgreSQL gets them in one message.
  const reading = Promise.all([
    lockEnvironments(statements, requests, wait),
    readLedger(statements, requests),
    retry ? findSettled(statements, requests) : new Map<string, Verdict>(),
    findSuperseded(
      statements,
      requests.filter(({ type }) => type !== 'release'),
    ),
  ])
  const [environments, ledger, settled, superseded] = await (wait ? reading.catch(asLockTimeout) : reading)
  return { before: { ...ledger, environments }, settled, superseded }
}

async function settleLocked(
  statements: Connection,
  { before, settled, superseded }: ReadBatch,
  { requests, toNote }: SettlementBatch,
): Promise<Decision[]> {
  if (requests.length === 0) return []
  const verdictOn = (request: SettleRequest): Verdict | undefined =>
    isSettled(settled, request) ?? (superseded.has(request) ? { outcome: 'superseded' } : undefined)
  const open = requests.filter((request) => !verdictOn(request))
  const after = decideSettlement(before, open)
  await writeLedger(statements, before, after)
  const keys = new Map(toNote)
  const isToNote = ({ requestId }: BilledCall) => toNote === undefined || keys.has(requestId)
  await notePaidVersions(statements, after.calls.filter(isToNote), keys)

  const decisions = after.decisions.values()
  return requests.map((request) => {
    const verdict = verdictOn(request)
    const decision = verdict ? { ...verdict, ...remainingCreditsOf(after.snapshot, request) } : decisions.next().value
    if (!decision) throw new Error(`no decision on request ${request.requestId}`)
    return decision
  })
}

/**
 * Only payments leave a receipt; holds and checks can be repeated safely. A release does nothing if its call was paid
 * for: it returns that payment.
 */
function isSettled(settled: ReadonlyMap<string, Verdict>, request: SettleRequest): Verdict | undefined {
  return isPayment(request) || request.type === 'release' ? settled.get(request.requestId) : undefined
}

async function findSettled(statements: Connection, requests: readonly SettleRequest[]): Promise<Map<string, Verdict>> {
  const ids = padded(requests.map((request) => request.requestId))
  const released = new Set(requests.flatMap(({ type, requestId }) => (type === 'release' ? requestId : [])))
  const rows = await selectIn(statements, 'settled', [ids, [200]], () =>
    statements.db
      .selectFrom('calls')
      .select(['request_id', 'credits', 'replay_of', 'entity_id', 'version_id', 'fold_id', 'fetch_id', 'source'])
      .where('request_id', 'in', ids)
      .where('status', '=', 200),
  )
  return new Map(
    rows.map((row): [string, Verdict] => {
      const { entity_id: entityId, version_id: versionId, fold_id: foldId, fetch_id: fetchId } = row
      const found = released.has(row.request_id) ? { answered: { entityId, versionId, fetchId } } : {}
      if (row.replay_of === null) return [row.request_id, { outcome: 'settled', charged: row.credits, ...found }]
      const source = row.source === 'stale_fallback' ? 'stale_fallback' : 'store'
      return [row.request_id, { outcome: 'replay', requestId: row.replay_of, versionId, foldId, source }]
    }),
  )
}

const paidVersions = {
  table: 'paid_versions',
  columns: ['version_id', 'account_id'],
  put: ({ versionId, environmentId }: BilledCall, values: Value[]) => void values.push(versionId, environmentId),
  onConflict: 'on conflict (version_id, account_id) do nothing',
} as const

/** Records which versions and records environments were served, in the transaction that charges for them. */
async function notePaidVersions(
  connection: Connection,
  calls: readonly BilledCall[],
  keys: ReadonlyMap<string, string>,
): Promise<void> {
  const answered = calls.filter(({ versionId }) => versionId !== null)
  if (answered.length === 0) return
  await insertRows(connection, paidVersions, answered)
  const given = answered.filter(({ entityId }) => entityId !== null)
  await overTuples(
    connection,
    noteRecipients,
    given.map(({ entityId, environmentId, kind, requestId }) => [
      entityId,
      environmentId,
      kind,
      keys.get(requestId) ?? '',
    ]),
  )
}

/** A record that was merged meanwhile counts for the survivor; of an erased one only the served key is left. */
const noteRecipients = {
  text: `insert into recipients (entity_id, account_id, kind, key)
    select coalesce(nullif(gone.into_id, 0), v.column1), v.column2, v.column3, coalesce(entities.key, gone.key, v.column4)
    from ([values]) as v left join entities on entities.id = v.column1
      left join merged_entities as gone on gone.id = v.column1
    where true on conflict (entity_id, account_id, key) do nothing`,
  tuple: ['cast(? as bigint)', 'cast(? as bigint)', 'cast(? as text)', 'cast(? as text)'],
}

/**
 * How long a settlement waits for its environment's lock. This is longer than the server lets a frozen node keep it.
 */
const lockWithinMs = 2_000

/**
 * Locks the environments of the requests. All other ledger rows belong to one environment and are written only under
 * its lock, so these are the only locks. Without `wait`, environments locked by others are left out.
 */
async function lockEnvironments(
  statements: Connection,
  requests: readonly SettleRequest[],
  wait: boolean,
): Promise<Map<number, PayingEnvironment>> {
  const list = padded(requests.map((request) => request.environmentId))
  // PostgreSQL locks a contended row in two steps, and `lock_timeout` applies to each of them separately.
  const limited = wait && statements.dialect.limitStatements(statements.db, lockWithinMs)
  const selected = selectIn(statements, wait ? 'environments' : 'free environments', [list], () =>
    statements.db
      .selectFrom('environments')
      .innerJoin('projects', 'projects.name', 'environments.project')
      .select(['environments.id', 'balance', 'held', 'monthly_budget', 'suspended', 'billing_blocked'])
      .select(['alert_credits_below', 'alert_ceiling_percent', 'low_told'])
      .where('environments.id', 'in', list)
      .orderBy('environments.id')
      .$call((query) => statements.dialect.lock(query, { of: 'environments', skipLocked: !wait })),
  )
  const unlimited = wait && statements.dialect.limitStatements(statements.db, null)
  const [rows] = await Promise.all([selected, limited, unlimited])
  return new Map(
    rows.map((row) => [
      row.id,
      {
        id: row.id,
        balance: row.balance,
        held: row.held,
        budget: row.monthly_budget,
        suspended: row.suspended !== 0,
        billingBlocked: row.billing_blocked !== 0,
        lowBelow: row.alert_credits_below ?? usualAlerts.lowBelow,
        lowNotified: row.low_told !== 0,
        nearPercent: row.alert_ceiling_percent ?? usualAlerts.nearPercent,
      },
    ]),
  )
}

/** Nothing runs before the lock, so a statement timeout means that the lock was not acquired. */
function asLockTimeout(error: unknown): never {
  throw isStatementTimeout(error) ? lockTimeout('an environment stayed locked', error) : error
}
