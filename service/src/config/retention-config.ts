import type { Config } from './config.ts'
import type { ProviderRules, RetentionRules } from '../records/retention/retention-rules.ts'

/** The rules that the configuration names. What a provider leaves open follows the general setting. */
export function retentionRules({ retention, upstream }: Pick<Config, 'retention' | 'upstream'>): RetentionRules {
  const perProvider: Record<string, ProviderRules> = {}
  for (const [provider, { rawDays, historyDays, storeDays }] of Object.entries(upstream.settings)) {
    const own = Object.entries({ rawDays, historyDays, storeDays }).filter(([, days]) => days !== null)
    if (own.length > 0) perProvider[provider] = Object.fromEntries(own)
  }
  return { ...retention, perProvider }
}
