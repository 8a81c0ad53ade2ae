import type { AdminBody } from '@vitae/contract/admin'
import type { KeySettings } from '../../../accounts/key.ts'
import { parseMoment } from '../../../foundation/clock.ts'
import { parseNetwork } from '../../../foundation/networks.ts'
import { parseRate } from '../../../foundation/rate.ts'
import { invalidParameter } from '../../../foundation/failure.ts'

/** Turns the settings that a body names into columns. */
export function readKeySettings(body: AdminBody<'updateKey'>): Partial<KeySettings> {
  const settings: Partial<KeySettings> = {}
  if (body.label !== undefined) settings.label = body.label
  if (body.ceiling !== undefined) settings.ceiling = body.ceiling
  if (body.daily_ceiling !== undefined) settings.daily_ceiling = body.daily_ceiling
  if (body.rate !== undefined) {
    const rate =
      body.rate === null ? null : wanted('rate', parseRate(body.rate), 'must be calls per window, such as 300/60s')
    settings.rate_limit = rate && rate.limit
    settings.rate_window_ms = rate && rate.windowMs
  }
  if (body.endpoints !== undefined) settings.endpoints = body.endpoints && JSON.stringify(body.endpoints)
  if (body.parts !== undefined) settings.parts = body.parts && JSON.stringify(body.parts)
  if (body.networks !== undefined)
    settings.networks = body.networks && JSON.stringify(body.networks.map(checkedNetwork))
  if (body.expires_at !== undefined) settings.expires_at = body.expires_at === null ? null : readTime(body.expires_at)
  return settings
}

function readTime(text: string): number {
  const at = parseMoment(text)
  return wanted('expires_at', Number.isNaN(at) ? null : at, 'must be an ISO 8601 time such as 2027-01-31T00:00:00Z')
}

function checkedNetwork(text: string): string {
  wanted('networks', parseNetwork(text), `has ${JSON.stringify(text)}, which is not an address or a CIDR network`)
  return text
}

function wanted<T>(parameter: string, value: T | null, detail: string): T {
  if (value === null) throw invalidParameter(parameter, detail)
  return value
}
