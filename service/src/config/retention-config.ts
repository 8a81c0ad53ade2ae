import type { Config } from './config.ts'

/** How long things are kept, in days; null or absent = for ever. */
export interface RetentionRules {
  rawDays: number | null
  /** Versions other than the one that is served. */
  historyDays: number | null
  /** Whole records, counted from their first collection. Neither use nor a new fetch renews it. */
  recordDays: number | null
  /** Records that were neither served nor fetched for so long. */
  unusedRecordDays: number | null
  callLogDays: number | null
  perProvider: Record<string, ProviderRules>
}

export interface ProviderRules {
  rawDays?: number | null
  historyDays?: number | null
  /** For contracts that limit storage: everything from this provider goes, also what is served. */
  storeDays?: number | null
}

/** The rules that the configuration names. What a provider leaves open follows the general setting. */
export function retentionRules({ retention, upstream }: Pick<Config, 'retention' | 'upstream'>): RetentionRules {
  const perProvider: Record<string, ProviderRules> = {}
  for (const [provider, { rawDays, historyDays, storeDays }] of Object.entries(upstream.settings)) {
    const own = Object.entries({ rawDays, historyDays, storeDays }).filter(([, days]) => days !== null)
    if (own.length > 0) perProvider[provider] = Object.fromEntries(own)
  }
  return { ...retention, perProvider }
}
