import { statSync } from 'node:fs'
import { join } from 'node:path'
import { newestBackupAt } from '../store/backup-paths.ts'
import { checkAudit, checkBackupCheck, checkLedger, checkRedis, checkRewrite } from './check-integrity.ts'
import { ok, type Finding } from './finding.ts'
import type { ClockSkew } from '../../cluster/database-clock.ts'
import type { Config } from '../../config/config.ts'
import { type Clock, utcMonth, dayMs, isoTime } from '../../foundation/clock.ts'
import type { LifecycleStore } from '../store/operations.ts'
import { driftAdvice, driftText } from '../../providers/drift.ts'
import type { CallCounts } from '../../providers/call-counts.ts'
import { noProvider } from '../../providers/chain/fault-to-failure.ts'
import type { Providers } from '../../providers/describe-providers.ts'

interface Deps {
  config: Config
  store: LifecycleStore
  callCounts: Pick<CallCounts, 'spend'>
  clock: Clock
  providers: Providers
  dataDir: string
  /** Null if no Redis is configured. */
  redisConnected: (() => boolean) | null
  /** How the clock of this node differs from the database's. */
  clockSkew(): ClockSkew | null
}

const neededNode = 24
const skewMs = 300_000
const fileWithinMs = 15_000
// The clock of a machine that runs this cannot be before the day it was written.
const written = Date.UTC(2026, 10, 1)
const secretFiles = ['admin-token', 'secret-key', 'demo-keys.json']

/** Checks everything that an operator can get wrong, with a fix for each finding. */
export async function diagnose(deps: Deps): Promise<Finding[]> {
  const { config, clock, dataDir } = deps
  return [
    checkNode(process.versions.node),
    ...checkFolder(dataDir),
    ...(await checkStore(deps)),
    ...(await checkStoreFile(deps)),
    await checkLedger(deps),
    await checkAudit(deps),
    ...(config.databaseUrl === null ? [] : [await checkRewrite(deps.store, clock.now(), config.rewriteAtMs)]),
    ...checkRedis(deps.redisConnected),
    ...(await checkProviders(deps)),
    ...(await checkDrift(deps)),
    ...checkRoutes(await deps.store.projects.listRoutes(null), config.upstream.chain),
    ...(await checkWebhooks(deps)),
    checkRetention(config),
    checkBackups(config, clock.now()),
    ...(await checkBackupCheck(deps)),
  ]
}

function checkNode(version: string): Finding {
  if (Number.parseInt(version, 10) >= neededNode) return ok('node', `Node ${version}`)
  const mend = `Run "npm ci" in the checkout, which brings Node ${neededNode}, or install it.`
  return { name: 'node', state: 'error', detail: `Node ${version}, but ${neededNode} is needed`, mend }
}

/** File modes are only a warning: in a container a group may be meant to read the volume. */
function checkFolder(dataDir: string): Finding[] {
  const open = [dataDir, ...secretFiles.map((file) => join(dataDir, file))].filter(isOpenToOthers)
  const [first] = open
  const modes: Finding = first
    ? {
        name: 'file modes',
        state: 'warning',
        detail: `Other users of this machine may read ${open.join(', ')}`,
        mend: `chmod go-rwx ${open.join(' ')}`,
      }
    : ok('file modes', 'Only the owner reads the data folder and the secrets')
  return [ok('data folder', dataDir), modes]
}

function isOpenToOthers(path: string): boolean {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0
  return (mode & 0o077) !== 0
}

/** On PostgreSQL the database's clock is authoritative, and this node's clock is compared with it. */
function checkClock({ clock, clockSkew }: Deps, newestAt: number | null): Finding {
  const now = clock.now()
  const skew = clockSkew()
  if (skew) {
    const state = skew.stopsPaidCalls ? 'error' : 'warning'
    const mend = "Set the clock of this machine right with NTP, and the database's too."
    return { name: 'clock', state, detail: skew.detail, mend }
  }
  if (now >= written && !(newestAt !== null && newestAt > now + skewMs)) return ok('clock', isoTime(now))
  return {
    name: 'clock',
    state: 'error',
    detail: `This machine's clock says ${isoTime(now)}, but the store has later entries`,
    mend: 'Set the clock, and keep it right with NTP: ages, expiries and months are counted by it.',
  }
}

async function checkStore(deps: Deps): Promise<Finding[]> {
  const facts = await deps.store.database.inspectStore(null)
  const behind = facts.schema < facts.newestSchema
  return [
    ok('engine', `${facts.engine} ${facts.version}`),
    behind
      ? {
          name: 'migrations',
          state: 'error',
          detail: `The store is at schema ${facts.schema}, this release needs ${facts.newestSchema}`,
          mend: 'Start the service once: it migrates first.',
        }
      : ok('migrations', `schema ${facts.schema}`),
    checkClock(deps, facts.newestAt),
  ]
}

/** Reads the pages of a store within a time limit; a backup reads all of them, however long it takes. */
async function checkStoreFile({ store }: Deps): Promise<Finding[]> {
  const file = await store.database.inspectFile({ withinMs: fileWithinMs })
  if (!file) return []
  const name = 'store file'
  const size = `${Math.ceil(file.bytes / 1_048_576)} MB`
  if (file.damage === null) {
    const mend = 'Take a backup, which checks every page of what it has copied.'
    const detail = `${size} are too much to check within seconds`
    return [{ name, state: 'warning', detail, mend, hint: 'vitae backup FILE' }]
  }
  const [first] = file.damage
  if (first === undefined) return [ok(name, `${size}, every page is sound`)]
  const mend = 'Stop the service, keep a copy of the data folder, and restore the newest backup.'
  return [{ name, state: 'error', detail: `It is damaged: ${first}`, mend, hint: 'vitae restore --help' }]
}

async function checkProviders(deps: Deps): Promise<Finding[]> {
  const states = await deps.store.providers.providerStates(null)
  const paused = new Set(states.filter((row) => row.paused).map((row) => row.provider))
  const asked = deps.providers.facts.filter((facts) => facts.inChain)
  if (asked.length === 0) {
    const mend = 'Set VITAE_UPSTREAM to the name of your provider, and restart.'
    return [{ name: 'providers', state: 'error', detail: `${noProvider}. Live keys get 503`, mend }]
  }
  const unsure = asked.filter(
    ({ name, file }) => file && !states.some((row) => row.provider === name && row.confirmed === file.digest),
  )
  return [
    ...(await Promise.all(
      asked.map(async ({ name }) => (paused.has(name) ? pausedProvider(name) : askProvider(deps, name))),
    )),
    ...unsure.map(({ name }) => unconfirmedProvider(name)),
  ]
}

/**
 * A provider file is written from documentation: until one call has shown that it is right, its "not found" proves
 * nothing.
 */
function unconfirmedProvider(name: string): Finding {
  const detail = 'It is not confirmed against the live API: its "not found" withdraws nothing and is not remembered'
  const mend = 'Ask it for one record that it has, which may cost.'
  return { name: `file of ${name}`, state: 'warning', detail, mend, hint: `vitae providers confirm ${name} <id>` }
}

/** Providers in use whose answers lack what they usually have. */
async function checkDrift({ store, clock, providers }: Deps): Promise<Finding[]> {
  const inChain = new Set(providers.facts.filter((facts) => facts.inChain).map(({ name }) => name))
  const drifted = await store.providers.driftedProviders({ now: clock.now() })
  const own = drifted.filter(({ provider }) => inChain.has(provider))
  if (own.length === 0) return [ok('fill rates', 'Every provider fills what it usually fills')]
  const texts = own.map(({ provider, kind, drifted: units }) => `${provider}, ${kind}: ${driftText(units ?? [])}`)
  return [{ name: 'fill rates', state: 'warning', detail: texts.join('; '), mend: driftAdvice }]
}

/** Environments whose route names providers that are no longer configured. */
function checkRoutes(
  routes: readonly { environment: string; providers: string[] }[],
  chain: readonly string[],
): Finding[] {
  return routes.flatMap(({ environment, providers }) => {
    const gone = providers.filter((name) => !chain.includes(name))
    if (gone.length === 0) return []
    const isEmpty = gone.length === providers.length
    const [project, name] = environment.split('/')
    return {
      name: `route of ${environment}`,
      state: isEmpty ? 'error' : 'warning',
      detail: `It may use only ${providers.join(', ')}, but VITAE_UPSTREAM does not name ${gone.join(', ')}${isEmpty ? ': its calls that need a provider get 503' : ''}`,
      mend: 'Name it in VITAE_UPSTREAM, or choose others.',
      hint: `vitae projects route --project ${project} --environment ${name} --providers ${chain.join(',') || 'all'}`,
    }
  })
}

function pausedProvider(name: string): Finding {
  const detail = 'It is paused, so nothing new is fetched from it'
  const hint = `vitae providers resume ${name}`
  return { name: `provider ${name}`, state: 'warning', detail, mend: 'Resume it when it may be asked again.', hint }
}

/** Webhooks pause and events are parked after three days of failures, and nobody is notified then. */
async function checkWebhooks({ store, clock }: Deps): Promise<Finding[]> {
  const { paused, parked } = await store.webhooks.webhookGauges({ now: clock.now() })
  const findings: Finding[] = []
  if (paused > 0) {
    const detail =
      paused === 1 ? '1 webhook is paused: its events wait' : `${paused} webhooks are paused: their events wait`
    const mend = 'Repair the receiver, then resume the webhook, or remove it.'
    const hint = 'vitae webhooks update <id> --state active'
    findings.push({ name: 'webhooks', state: 'warning', detail, mend, hint })
  }
  if (parked > 0) {
    const detail = `${parked} events were refused for three days and are parked`
    const mend = 'Repair the receiver, then send them again.'
    const hint = 'vitae webhooks parked <id> --retry'
    findings.push({ name: 'parked events', state: 'warning', detail, mend, hint })
  }
  return findings
}

/** A check costs one call of the budget; once the budget is spent the provider is not asked. */
async function askProvider({ config, callCounts, clock, providers }: Deps, provider: string): Promise<Finding> {
  const name = `provider ${provider}`
  const limit = providers.facts.find((facts) => facts.name === provider)?.budget ?? null
  if (provider !== 'directory') {
    const spending = await callCounts.spend({ provider, month: utcMonth(clock.now()), limit })
    const mend = `Raise VITAE_${provider.toUpperCase()}_BUDGET, or wait for the next month.`
    const detail = `The month's budget of ${limit} calls is spent: only stored records are served`
    if (spending === 'spent') return { name, state: 'warning', detail, mend }
  }
  const { ok: answers, verdict, detail } = await providers.check(provider)
  if (answers) return ok(name, detail)
  const where = config.upstream.settings[provider]?.url
  const mend = {
    rejected: `Set VITAE_${provider.toUpperCase()}_KEY to a key that the provider accepts, and check that the account is paid.`,
    invalid: `Check VITAE_${provider.toUpperCase()}_URL${where ? ` (${where})` : ''}.`,
  }[verdict as string]
  return {
    name,
    state: 'error',
    detail: `${verdict}: ${detail}`,
    mend: mend ?? `Check that this machine can reach ${where ?? 'the provider'}, then try again.`,
    hint: `vitae providers check ${provider}`,
  }
}

function checkRetention({ retention, upstream }: Config): Finding {
  const own = Object.values(upstream.settings).flatMap(({ rawDays, historyDays, storeDays }) => [
    rawDays,
    historyDays,
    storeDays,
  ])
  // The call log has a default limit, so it does not count.
  const { callLogDays: _, ...records } = retention
  const set = [...Object.values(records), ...own].filter((days) => days !== null)
  if (set.length > 0) return ok('retention', 'The plan of retention shows what it will remove')
  return {
    name: 'retention',
    state: 'warning',
    detail: 'No retention of records is set: they are kept forever',
    mend: 'Set VITAE_RAW_DAYS, VITAE_HISTORY_DAYS, VITAE_RECORD_DAYS, VITAE_UNUSED_RECORD_DAYS as your contracts and laws require.',
  }
}

/** Whether the last scheduled backup is recent enough. */
export function checkBackups({ backup, databaseUrl }: Config, now: number): Finding {
  const name = 'backups'
  if (databaseUrl !== null) return ok(name, 'PostgreSQL is backed up with its own tools')
  if (backup.dir === null) {
    const mend = 'Set VITAE_BACKUP_DIR to a folder on another disk, or make backups from a scheduler.'
    return { name, state: 'warning', detail: 'No backups are scheduled', mend, hint: 'vitae backup FILE' }
  }
  const newest = newestBackupAt(backup.dir)
  const late = newest === null || now - newest > backup.everyMs * 2 + dayMs / 24
  if (!late) return ok(name, `The newest is from ${isoTime(newest)}`)
  const detail = newest === null ? `${backup.dir} contains no backup` : `The newest is from ${isoTime(newest)}`
  const mend = `Check that the service runs and may write to ${backup.dir}. Then make a backup.`
  return { name, state: 'warning', detail, mend, hint: 'vitae backup FILE' }
}
