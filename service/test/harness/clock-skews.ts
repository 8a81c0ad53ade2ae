import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const preload = pathToFileURL(join(import.meta.dirname, '../../../scripts/reliability/clock.ts')).href
const [second, minute, day] = [1_000, 60_000, 86_400_000]
const skews = [0, 2 * second, 10 * second, 2 * minute, day]

/** Draws a clock error: none, 2 s, 10 s, 2 minutes or a day, ahead or behind. */
export function drawSkewMs(draw: () => number): number {
  const skew = skews[Math.floor(draw() * skews.length)] ?? 0
  return draw() < 0.5 ? -skew : skew
}

/** The environment of a child whose clock is ahead. */
export function skewedEnv(aheadMs: number): Record<string, string> {
  if (aheadMs === 0) return {}
  return { NODE_OPTIONS: `--import=${preload}`, TEST_CLOCK_AHEAD_MS: String(aheadMs) }
}
