import { fixedValues } from './fixed-values.ts'
import { isInjected, type Environment } from './setting-values.ts'

const { maxLagMs, maxInFlight, idempotencyWaitMs, tagsPerDay, breakerMs, upstreamMaxBytes } = fixedValues
const { watchesPerEnvironment, watchesAtOnce, webhooksPerEnvironment, openBatches } = fixedValues

/** Settings without an effect, with what holds in their place. */
const ignored: Readonly<Record<string, string>> = {
  VITAE_WORKERS: 'start one process for each core with its own PORT, behind a proxy (docs/guides/scaling.md)',
  VITAE_MAX_LAG_MS: fixedAt(maxLagMs, ' ms'),
  VITAE_MAX_IN_FLIGHT: fixedAt(maxInFlight, ' calls'),
  VITAE_IDEMPOTENCY_WAIT_MS: fixedAt(idempotencyWaitMs, ' ms'),
  VITAE_TAGS_MAX: fixedAt(tagsPerDay, ' tags per day'),
  VITAE_WATCHES_MAX: fixedAt(watchesPerEnvironment, ' watches'),
  VITAE_WATCHES_AT_ONCE: fixedAt(watchesAtOnce),
  VITAE_WEBHOOKS_MAX: fixedAt(webhooksPerEnvironment, ' webhooks'),
  VITAE_BATCH_OPEN: fixedAt(openBatches, ' unfinished batches'),
  VITAE_BREAKER_SECONDS: fixedAt(breakerMs / 1_000, ' s'),
  VITAE_UPSTREAM_MAX_BYTES: fixedAt(upstreamMaxBytes, ' bytes'),
  VITAE_METRICS_NAMES: 'environments always appear by number',
  VITAE_BATCH_SHARE: 'rows of batches do not count in the rate limit of their key',
  VITAE_PG_PREPARED: 'a pooler in front of PostgreSQL is recognised at the start',
}

/** Prices that are lines of the price book now, with the line for a price. */
const priced: Readonly<Record<string, string>> = {
  VITAE_PRICE_STALE: '"source": "stale_fallback"',
  VITAE_PRICE_THIN: '"thin": true',
  VITAE_PRICE_BYPASS: '"bypass": true',
  VITAE_PRICE_RESOLVE: '"kind": "resolve"',
  VITAE_PRICE_MATCH: '"by": "match"',
}

/**
 * Settings of earlier versions. A price without an effect would charge another amount, so it stops the start; any other
 * is a warning.
 */
export function removedSettings(env: Environment): { names: string[]; warnings: string[]; errors: string[] } {
  const isSet = (name: string) => {
    const text = env[name]?.trim()
    return text !== undefined && text !== '' && !isInjected(name, text)
  }
  const setOf = (table: Readonly<Record<string, string>>) => Object.entries(table).filter(([name]) => isSet(name))
  return {
    names: [...Object.keys(ignored), ...Object.keys(priced)],
    warnings: setOf(ignored).map(([name, now]) => `${name} has no effect since 1.0.0-rc.2: ${now}. Remove it`),
    errors: setOf(priced).map(([name, match]) => {
      const line = `{ ${match}, "credits": ${env[name]?.trim()} }`
      return `${name} has moved to the price book: remove it, and give the book the line ${line} with "vitae prices set" (docs/guides/prices.md)`
    }),
  }
}

function fixedAt(value: number, unit = ''): string {
  return `the value is always ${value.toLocaleString('en')}${unit}`
}
