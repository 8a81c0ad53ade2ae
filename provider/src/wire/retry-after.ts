import type { RawAnswer } from '../provider.ts'
import { header } from './header.ts'

/** The seconds that Retry-After asks to wait, in either form of the header; null without the header. */
export function retryAfterSeconds(answer: RawAnswer): number | null {
  const value = header(answer, 'retry-after')?.trim()
  if (!value) return null
  if (/^\d{1,9}$/.test(value)) return Number(value)
  const date = Date.parse(value)
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - answer.receivedAt) / 1000))
}
