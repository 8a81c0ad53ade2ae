import { resolve } from 'node:path'
import { EnvironmentReader } from './environment.ts'
import { fixedValues, type FixedValues } from './fixed-values.ts'
import type { Rate } from '../foundation/rate.ts'
import { liesWithin } from './lies-within.ts'
import { removedSettings } from './removed-settings.ts'
import { readSignIn } from './sign-in-config.ts'
import { ConfigError, type Environment, type EnvFile, type Origin } from './setting-values.ts'
import { unknownNames, doubtfulSettings } from './doubtful-settings.ts'
import { findRegistration, providerNames } from '../providers/registry.ts'
import { shippedNames } from '../providers/shipped-files.ts'

const minute = 60_000

/** Modules with the operator's own providers. */
export const moduleSetting = 'VITAE_PROVIDER_MODULES'
/** Files that describe providers, or folders of them. */
export const fileSetting = 'VITAE_PROVIDER_FILES'

/** The checked values and their origins. */
export type Config = ReturnType<typeof readValues> & { origin: Origin }

interface ReadOptions {
  demo?: boolean
  envFile?: EnvFile | null
  /** Other values than the fixed ones, for tests. */
  fixed?: Partial<FixedValues>
}

/** The settings of one provider; null means that the general setting or the provider's own default applies. */
export interface UpstreamConfig {
  url: string | null
  key: string | null
  /** Settings that only this provider has. */
  variables: Record<string, string>
  timeoutMs: number | null
  concurrency: number | null
  monthlyBudget: number | null
  /** Money per answered call. */
  cost: number | null
  rawDays: number | null
  historyDays: number | null
  storeDays: number | null
}

/** Reads and checks the whole configuration. Nothing else in the service reads the environment. */
export function readConfig(env: Environment = process.env, options: ReadOptions = {}): Config {
  const { values, origin, errors } = checkConfig(env, options)
  if (errors.length > 0) throw new ConfigError(errors)
  return { ...values, origin }
}

/** The same, with every finding instead of an error. */
export function checkConfig(env: Environment = process.env, options: ReadOptions = {}) {
  const { demo = false, envFile = null, fixed } = options
  const read = new EnvironmentReader(env, envFile)
  const values = readValues(read, demo, { ...fixedValues, ...fixed })
  const allowsUnknown = read.flag('VITAE_ALLOW_UNKNOWN', false)
  const removed = removedSettings(env)
  const unknown = unknownNames(env, { known: read.names(), removed: removed.names })
  const variables = read.variables()
  const warnings = [...(allowsUnknown ? unknown : []), ...removed.warnings, ...doubtfulSettings(values, variables)]
  const origin: Origin = { variables, warnings, envFile: envFile?.path ?? null }
  return { values, origin, errors: [...read.complaints, ...removed.errors, ...(allowsUnknown ? [] : unknown)] }
}

function readValues(read: EnvironmentReader, demo: boolean, fixed: FixedValues) {
  return {
    http: readHttp(read, fixed),
    logLevel: read.oneOf('LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'info'),
    dataDir: resolve(read.text('VITAE_DATA_DIR', './data')),
    databaseUrl: read.url('DATABASE_URL', ['postgres:', 'postgresql:'], true),
    redisUrl: readRedisUrl(read),
    postgresPatience: fixed.postgresPatience,
    redisPatience: fixed.redisPatience,
    nodeDeadAfterMs: fixed.nodeDeadAfterMs,
    adminToken: read.optional('VITAE_ADMIN_TOKEN', 'at least 16 characters without spaces', secret, true),
    secretKey: read.optional('VITAE_SECRET_KEY', 'at least 16 characters without spaces', secret, true),
    cacheBytes: read.integer('VITAE_CACHE_MB', 256, { min: 1, max: 1_048_576 }) * 1_048_576,
    platformHosts: read.list('VITAE_PLATFORM_HOSTS', ['linkedin.com']),
    limits: readLimits(read, fixed),
    watches: { atOnce: fixed.watchesAtOnce, perEnvironment: fixed.watchesPerEnvironment },
    credits: readCredits(read, fixed),
    freshness: readFreshness(read),
    upstream: readUpstream(read, demo, fixed),
    retention: readRetention(read),
    /** When the tables of PostgreSQL with deleted rows are rewritten, in milliseconds since midnight UTC. */
    rewriteAtMs: read.timeOfDay('VITAE_REWRITE_AT', '03:30'),
    batches: readBatches(read, fixed),
    events: {
      days: read.decimal('VITAE_EVENT_DAYS', 30),
      /** For events about keys: merged, split, purged and erased records. */
      erasedDays: read.decimal('VITAE_ERASED_EVENT_DAYS', 400),
    },
    signIn: readSignIn(read),
    webhooksAtMost: fixed.webhooksPerEnvironment,
    webhookNetworks: read.networks('VITAE_WEBHOOK_NETWORKS', 'networks that webhooks may be sent to') ?? [],
    backup: {
      dir: readBackupDir(read),
      everyMs: read.duration('VITAE_BACKUP_EVERY', '1d'),
      keep: read.integer('VITAE_BACKUP_KEEP', 7, { min: 1, max: 10_000 }),
    },
  }
}

function readHttp(read: EnvironmentReader, { maxLagMs, maxInFlight }: FixedValues) {
  const trustProxy = read.networks('VITAE_TRUST_PROXY')
  return {
    host: read.text('HOST', '127.0.0.1'),
    port: read.integer('PORT', 8080, { max: 65_535 }),
    adminPort: read.optionalInteger('VITAE_ADMIN_PORT', { max: 65_535 }),
    adminHost: read.text('VITAE_ADMIN_HOST', '127.0.0.1'),
    /** Proxies whose `X-Forwarded-For` is trusted: listed addresses and networks only, never everyone. */
    trustProxy,
    /** How long the proxy in front waits for an answer. */
    proxyTimeoutMs: read.integer('VITAE_PROXY_TIMEOUT_SECONDS', 75, { min: 1, max: 86_400 }) * 1_000,
    /**
     * How long a stopping service reports it at /readyz while it still accepts calls, so that proxies can switch to
     * others.
     */
    drainMs: read.integer('VITAE_DRAIN_SECONDS', trustProxy ? 5 : 0, { max: 3_600 }) * 1_000,
    maxLagMs,
    maxInFlight,
  }
}

function readLimits(read: EnvironmentReader, { tagsPerDay }: FixedValues) {
  const rate = (limit: number, windowMs: number): Rate => ({ limit, windowMs })
  return {
    perKey: read.rate('VITAE_RATE_LIMIT', rate(300, minute)),
    unauthorized: read.rate('VITAE_UNAUTHORIZED_RATE', rate(60, minute)),
    notFound: read.rate('VITAE_NOT_FOUND_RATE', rate(600, 60 * minute)),
    tagsPerDay,
  }
}

function readCredits(read: EnvironmentReader, { priceLines, idempotencyWaitMs }: FixedValues) {
  return {
    prices: {
      people: read.integer('VITAE_PRICE_PEOPLE', 1, { max: 1_000_000 }),
      companies: read.integer('VITAE_PRICE_COMPANIES', 1, { max: 1_000_000 }),
      lines: priceLines,
    },
    /** The value of a credit, in the currency of the costs; null = not stated. */
    value: read.amount('VITAE_CREDIT_VALUE'),
    /** Days in which an environment pays once per record; 0 = it pays every time. */
    repeatFreeDays: read.decimal('VITAE_REPEAT_FREE_DAYS', 0),
    holdMs: read.integer('VITAE_HOLD_SECONDS', 60, { min: 1, max: 86_400 }) * 1_000,
    idempotencyMs: read.integer('VITAE_IDEMPOTENCY_HOURS', 72, { min: 1, max: 8_760 }) * 60 * minute,
    idempotencyWaitMs,
  }
}

function readFreshness(read: EnvironmentReader) {
  return {
    capDays: read.decimal('VITAE_MAX_AGE_CAP_DAYS', 7),
    defaultDays: read.decimal('VITAE_MAX_AGE_DEFAULT_DAYS', 7),
    staleMaxDays: read.decimal('VITAE_STALE_MAX_DAYS', 30),
    notFoundMinutes: read.decimal('VITAE_NOT_FOUND_MINUTES', 60),
    cooldownSeconds: read.decimal('VITAE_COOLDOWN_SECONDS', 30),
  }
}

function readUpstream(read: EnvironmentReader, demo: boolean, fixed: FixedValues) {
  // These are loaded before, so their providers are known by now.
  read.list(moduleSetting, [])
  read.list(fileSetting, [])
  // Without a provider, live keys get a failure, so that nobody pays for the directory's fictional records by accident.
  const names = read.list('VITAE_UPSTREAM', demo ? ['directory'] : [])
  const upstreamNames = ['directory', 'mirror', ...providerNames()]
  const chain = names.filter((name) => {
    const isKnown = upstreamNames.includes(name)
    if (!isKnown)
      read.complaints.push(
        `VITAE_UPSTREAM is ${JSON.stringify(name)}, but must be names from ${upstreamNames.join(', ')}`,
      )
    return isKnown
  })
  const settings: Record<string, UpstreamConfig> = {}
  for (const name of upstreamNames) settings[name] = readProvider(read, name, chain.includes(name))
  for (const name of chain) complainWhenIncomplete(read, name, settings[name])
  const attemptTimeoutMs = read.integer('VITAE_UPSTREAM_TIMEOUT_MS', 10_000, { min: 1 })
  const longestAttemptMs = Math.max(...chain.map((name) => settings[name]?.timeoutMs ?? attemptTimeoutMs), 0)
  return {
    chain,
    settings,
    directory: read.text('VITAE_DIRECTORY'),
    currency: read.currency('VITAE_CURRENCY', 'USD'),
    /** The maximum cost of one call over all providers and their retries. */
    costPerCall: read.amount('VITAE_MAX_COST_PER_CALL'),
    chainOnNotFound: read.flag('VITAE_CHAIN_ON_NOT_FOUND', chain.length > 1),
    attemptTimeoutMs,
    longestAttemptMs,
    /** The default allows one attempt of the slowest provider. */
    totalTimeoutMs: read.optionalInteger('VITAE_UPSTREAM_TOTAL_MS', { min: 1 }) ?? Math.max(20_000, longestAttemptMs),
    maxBytes: fixed.upstreamMaxBytes,
    concurrency: read.integer('VITAE_UPSTREAM_CONCURRENCY', 1_000, { min: 1 }),
    breakerFailures: read.integer('VITAE_BREAKER_FAILURES', 20, { min: 1 }),
    breakerMs: fixed.breakerMs,
  }
}

function readProvider(read: EnvironmentReader, name: string, isInChain: boolean): UpstreamConfig {
  const prefix = `VITAE_${name.toUpperCase()}`
  // A shipped file is not even compiled before it is used.
  const isUsed = isInChain || !shippedNames().includes(name) || read.hasPrefix(`${prefix}_`)
  const vendor = isUsed ? findRegistration(name) : null
  // The directory consists of files: it has no URL, no timeout and no cost.
  const remote =
    name === 'directory'
      ? { url: null, key: null, variables: {}, timeoutMs: null, concurrency: null, monthlyBudget: null }
      : {
          url: read.url(`${prefix}_URL`, ['https:', 'http:']),
          key: read.secret(`${prefix}_KEY`),
          variables: readVariables(read, prefix, vendor?.variables ?? []),
          timeoutMs: read.integer(`${prefix}_TIMEOUT_MS`, vendor?.timeoutMs ?? null, { min: 1 }),
          concurrency: read.optionalInteger(`${prefix}_CONCURRENCY`, { min: 1 }),
          monthlyBudget: read.optionalInteger(`${prefix}_BUDGET`),
        }
  return {
    ...remote,
    cost: read.amount(`${prefix}_COST`),
    rawDays: read.optionalDecimal(`${prefix}_RAW_DAYS`),
    historyDays: read.optionalDecimal(`${prefix}_HISTORY_DAYS`),
    storeDays: read.optionalDecimal(`${prefix}_STORE_DAYS`),
  }
}

function readVariables(read: EnvironmentReader, prefix: string, names: readonly string[]): Record<string, string> {
  const known = names.map((name) => [name, read.text(`${prefix}_${name.toUpperCase()}`)] as const)
  return Object.fromEntries(known.flatMap(([name, value]) => (value === null ? [] : [[name, value]])))
}

function complainWhenIncomplete(read: EnvironmentReader, name: string, settings: UpstreamConfig | undefined): void {
  const prefix = `VITAE_${name.toUpperCase()}`
  if (name === 'directory') return
  if (name === 'mirror' && !settings?.url)
    read.complaints.push(`${prefix}_URL is not set, but VITAE_UPSTREAM names ${name}: give its base address`)
  if (!settings?.key)
    read.complaints.push(`${prefix}_KEY is not set, but VITAE_UPSTREAM names ${name}: give the key of your contract`)
}

function readRetention(read: EnvironmentReader) {
  return {
    rawDays: read.optionalDecimal('VITAE_RAW_DAYS'),
    historyDays: read.optionalDecimal('VITAE_HISTORY_DAYS'),
    recordDays: read.optionalDecimal('VITAE_RECORD_DAYS'),
    unusedRecordDays: read.optionalDecimal('VITAE_UNUSED_RECORD_DAYS'),
    callLogDays: read.decimal('VITAE_CALL_LOG_DAYS', 90),
  }
}

function readBatches(read: EnvironmentReader, { openBatches }: FixedValues) {
  return {
    rowsAtMost: read.integer('VITAE_BATCH_ROWS', 100_000, { min: 1, max: 10_000_000 }),
    openAtMost: openBatches,
    days: read.decimal('VITAE_BATCH_DAYS', 7),
  }
}

/** A backup inside the data folder would keep what an erasure must remove from there. */
function readBackupDir(read: EnvironmentReader): string | null {
  const dataDir = resolve(read.text('VITAE_DATA_DIR', './data'))
  const wants = `a folder outside VITAE_DATA_DIR (${dataDir}), where erasures leave no byte`
  return read.optional('VITAE_BACKUP_DIR', wants, (text) => (liesWithin(text, dataDir) ? null : resolve(text)))
}

function secret(text: string): string | null {
  return /^\S{16,}$/.test(text) ? text : null
}

/** Nodes that share Redis but no database would each have their own credits and records. */
function readRedisUrl(read: EnvironmentReader): string | null {
  const url = read.url('REDIS_URL', ['redis:', 'rediss:'], true)
  if (url !== null && read.secret('DATABASE_URL') === null)
    read.complaints.push(
      'REDIS_URL is set, but DATABASE_URL is not: the embedded store does not use Redis. Set DATABASE_URL, or leave REDIS_URL unset',
    )
  return url
}
