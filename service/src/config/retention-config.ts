import type { Config } from './config.ts'

/** Retention periods in days; null or absent = forever. */
export interface RetentionRules {
  rawDays: number | null
  /** Versions other than the served one. */
  historyDays: number | null
  /** Whole records, counted from their first collection. Neither use nor a new fetch renews it. */
  recordDays: number | null
  /** Records that were neither served nor fetched for this long. */
  unusedRecordDays: number | null
  callLogDays: number | null
  perProvider: Record<string, ProviderRules>
}

export interface ProviderRules {
  rawDays?: number | null
  historyDays?: number | null
  /** For contracts that limit storage: everything from this provider is removed, even the served version. */
  storeDays?: number | null
}

/** The configured retention rules. A provider without its own rule follows the general one. */
export function retentionRules({ retention, upstream }: Pick<Config, 'retention' | 'upstream'>): RetentionRules {
  const perProvider: Record<string, ProviderRules> = {}
  for (const [provider, { rawDays, historyDays, storeDays }] of Object.entries(upstream.settings)) {
    const own = Object.entries({ rawDays, historyDays, storeDays }).filter(([, days]) => days !== null)
    if (own.length > 0) perProvider[provider] = Object.fromEntries(own)
  }
  return { ...retention, perProvider }
}
