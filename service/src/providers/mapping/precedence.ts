import type { DateRange } from '@vitae/contract'
import { compareDates } from './partial-date.ts'

/** Whether a period goes on: the contract reads a missing end so. */
export function isCurrent(range: DateRange | null): boolean {
  return (range?.end ?? null) === null
}

/** Positive when `a` stands before `b`: current first, then later start, then later end; an unknown date is the earliest. */
function rank(a: DateRange | null, b: DateRange | null): number {
  const current = Number(isCurrent(a)) - Number(isCurrent(b))
  return current || compareKnown(a?.start, b?.start) || compareKnown(a?.end, b?.end)
}

function compareKnown(a: DateRange['start'] | undefined, b: DateRange['start'] | undefined): number {
  return a && b ? compareDates(a, b) : Number(Boolean(a)) - Number(Boolean(b))
}

interface Waiting<Item> {
  item: Item
  range: DateRange | null
  /** How many of those that wait have to stand before this one. */
  ahead: number
}

/**
 * Orders what has a period: current first, then later start, then later end; equals keep their order.
 * Dates of unequal precision make "equal" intransitive (2019-08 > 2019-05, while 2019 equals both), so no plain sort
 * would do: each step takes the first item before which nothing else has to stand.
 */
export function inOrder<Item>(items: Item[], rangeOf: (item: Item) => DateRange | null): Item[] {
  // Nobody held so many positions; a payload that says so must not hold up the event loop.
  if (items.length > 500) return items.toSorted((a, b) => rank(rangeOf(b), rangeOf(a)))
  let waiting: Waiting<Item>[] = items.map((item) => ({ item, range: rangeOf(item), ahead: 0 }))
  for (const one of waiting) one.ahead = waiting.filter((other) => rank(other.range, one.range) > 0).length
  const ordered: Waiting<Item>[] = []
  while (waiting.length > 0) {
    const next = nextOf(waiting, ordered.at(-1))
    waiting = waiting.filter((one) => one !== next)
    for (const one of waiting) if (rank(next.range, one.range) > 0) one.ahead -= 1
    ordered.push(next)
  }
  return ordered.map((one) => one.item)
}

/** In a circle nobody is free; then at least neighbours shall stand in the right order. */
function nextOf<Item>(waiting: Waiting<Item>[], last: Waiting<Item> | undefined): Waiting<Item> {
  const fitting = last ? waiting.filter((one) => rank(one.range, last.range) <= 0) : []
  return (fitting.length > 0 ? fitting : waiting).reduce((least, one) => (one.ahead < least.ahead ? one : least))
}
