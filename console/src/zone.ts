import { useEffect, useState } from 'preact/hooks'

type Choice = 'utc' | 'local'

/** The time zone of the browser. */
const ownZone = new Intl.DateTimeFormat().resolvedOptions().timeZone
const hasOwn = !/^(?:Etc\/)?(?:UTC|GMT)$/.test(ownZone)
const dayMs = 86_400_000
const storedAs = 'vitae-zone'
const changed = 'vitae-zone'

let choice: Choice = hasOwn && localStorage.getItem(storedAs) === 'local' ? 'local' : 'utc'

/** The zone of every time, day and window on the pages. Budgets and ceilings are counted in UTC, so UTC is the usual one. */
export function zoneName(): string {
  return choice === 'local' ? ownZone : 'UTC'
}

/** The zone to switch to; null if the browser is in UTC too. */
export function otherZone(): string | null {
  if (!hasOwn) return null
  return choice === 'local' ? 'UTC' : ownZone
}

/** Switches between UTC and the zone of the browser, and keeps the choice for the next visit. */
export function switchZone(): void {
  choice = choice === 'local' ? 'utc' : 'local'
  localStorage.setItem(storedAs, choice)
  dispatchEvent(new Event(changed))
}

/** Renders the component again when the zone changes. */
export function useZone(): string {
  const [name, setName] = useState(zoneName)
  useEffect(() => {
    const follow = () => setName(zoneName())
    addEventListener(changed, follow)
    return () => removeEventListener(changed, follow)
  }, [])
  return name
}

/** The parameter that makes the service count the days of this zone; none for UTC. */
export function zoneQuery(): { zone?: string } {
  return choice === 'local' ? { zone: ownZone } : {}
}

/** The day of a time, such as `2026-11-14`. */
export function dayOf(at: number): string {
  const date = new Date(at)
  return choice === 'local'
    ? dayText(date.getFullYear(), date.getMonth(), date.getDate())
    : date.toISOString().slice(0, 10)
}

/** When a day begins. */
export function startOfDay(day: string): number {
  if (choice === 'utc') return Date.parse(day)
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date).getTime()
}

/** A later or earlier day, by the calendar. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10)
}

function dayText(year: number, month: number, date: number): string {
  return new Date(Date.UTC(year, month, date)).toISOString().slice(0, 10)
}

/** A time as `datetime-local` inputs have it, in the zone. */
export function inputOf(at: number): string {
  const behindMs = choice === 'local' ? new Date(at).getTimezoneOffset() * 60_000 : 0
  return new Date(at - behindMs).toISOString().slice(0, 16)
}

/** The time of a `datetime-local` input. */
export function readInput(text: string): number {
  return Date.parse(choice === 'local' ? text : `${text}Z`)
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** Formats a time in the zone. */
export function formatIn(options: Intl.DateTimeFormatOptions, at: number, zone = zoneName()): string {
  const name = zone + JSON.stringify(options)
  const format = formats.get(name) ?? new Intl.DateTimeFormat(undefined, { ...options, timeZone: zone })
  formats.set(name, format)
  return format.format(at)
}
