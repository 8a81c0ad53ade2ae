import { dayMs } from '../../foundation/clock.ts'
import { invalidParameter } from '../../foundation/failure.ts'
import type { ZoneDays } from './usage-ask.ts'

const minuteMs = 60_000

/** Reads the zone of a query; null for UTC. */
export function readZone(zone: string | undefined): string | null {
  if (zone === undefined) return null
  try {
    const { timeZone } = new Intl.DateTimeFormat('en-US', { timeZone: zone }).resolvedOptions()
    return timeZone === 'UTC' ? null : timeZone
  } catch {
    throw invalidParameter('zone', 'must be a time zone such as Europe/Berlin')
  }
}

/** The days of a zone in a time range, in groups of days that are equally long: a day on which clocks change is alone. */
export function zoneDays(zone: string, since: number, until: number): ZoneDays[] {
  const startOf = startsIn(zone)
  const groups: ZoneDays[] = []
  // Removed calls count at the start of a UTC day, which may lie before the range.
  for (let from = startOf(since - 2 * dayMs); from < until;) {
    // Longer than any day, and shorter than any two.
    const next = startOf(from + 1.2 * dayMs)
    const last = groups.at(-1)
    if (last?.lengthMs === next - from) last.until = next
    else groups.push({ from, until: next, lengthMs: next - from })
    from = next
  }
  return groups
}

/** Finds the start of the day of a zone. */
function startsIn(zone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
  const aheadMs = (at: number) => {
    const [, sign = '+', hours = 0, minutes = 0] = /GMT([+-])(\d+):(\d+)/.exec(format.format(at)) ?? []
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * minuteMs
  }
  return (at) => {
    const wall = at + aheadMs(at)
    const midnight = wall - (wall % dayMs)
    return midnight - aheadMs(midnight - aheadMs(at))
  }
}

/** The start of the day that begins at or after a time. */
export function nextStart(days: readonly ZoneDays[], at: number): number {
  const group = days.find(({ until }) => at <= until)
  return group ? group.from + Math.ceil((at - group.from) / group.lengthMs) * group.lengthMs : at
}

/** The start of every day that begins in a time range, or contains its start. */
export function startsOf(days: readonly ZoneDays[], since: number, until: number): number[] {
  const starts: number[] = []
  for (const { from, until: end, lengthMs } of days) for (let at = from; at < end; at += lengthMs) starts.push(at)
  return starts.filter((at, index) => at < until && (starts[index + 1] ?? Infinity) > since)
}
