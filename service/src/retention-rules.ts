import type { Config } from './config.ts'
import type { ProviderRules, RetentionRules } from './records/retention-rules.ts'

/** The rules out of the configuration. What a provider does not set itself is left out, so that the general rule holds. */
export function retentionRules({ retention, upstream }: Config): RetentionRules {
  const own = Object.entries(upstream.settings).map(([name, { rawDays, historyDays, storeDays }]) => {
    const days = Object.entries({ rawDays, historyDays, storeDays }).filter(([, value]) => value !== null)
    const rules: ProviderRules = Object.fromEntries(days)
    return [name, rules] as const
  })
  return { ...retention, perProvider: Object.fromEntries(own.filter(([, rules]) => Object.keys(rules).length > 0)) }
}
