import { eventTypes, type EventFeed, type EventType, type Kind, type VitaeEvent } from '@vitae/contract'
import type { Caller } from '../accounts/key-cache.ts'
import { mayNotBuy, missingRight, reachOf } from '../accounts/key-rights.ts'
import { readFeed, type FeedStore } from '../events/read-events.ts'
import { sampleEvents } from '../events/sample-events.ts'
import type { LookupDeps } from '../lookup/deps.ts'
import { mostFor } from '../lookup/pay.ts'

interface Page {
  after: number
  limit: number
  /** Null = all. */
  types: EventType[] | null
}

/** The next page of the events that a key may see, as JSON. Test keys get a fictional feed. */
export async function eventFeed(
  { lookup, store }: { lookup: LookupDeps; store: FeedStore },
  caller: Caller,
  asked: Page,
): Promise<string> {
  const page = { ...asked, types: allowedTypes(lookup, caller, asked.types) }
  if (caller.mode === 'test') return JSON.stringify(sampleFeed(caller, page))
  const { environmentId } = caller
  return readFeed(store, { ...page, kinds: reachOf(caller).kinds, environmentId, now: lookup.clock.now() })
}

const kindOf = { 'person.': 'people', 'company.': 'companies' } as const

/** An event of a change holds a part of a record: it is closed to a key that can buy none. */
function allowedTypes(lookup: LookupDeps, caller: Caller, asked: EventType[] | null): EventType[] | null {
  const closed = Object.entries(kindOf).flatMap(([prefix, kind]) =>
    mayNotBuy(caller, mostFor(lookup, caller, kind)) ? prefix : [],
  )
  if (closed.length === 0) return asked
  return (asked ?? eventTypes).filter((type) => !closed.some((prefix) => type.startsWith(prefix)))
}

function sampleFeed(caller: Caller, { after, limit, types }: Page): EventFeed {
  const events = sampleEvents(caller)
    .map((event, index) => ({ event, position: index + 1 }))
    .filter(({ event, position }) => position > after && (types?.includes(event.type) ?? true))
    .filter(({ event }) => isReached(caller, event))
    .slice(0, limit)
  return { events: events.map(({ event }) => event), next: String(events.at(-1)?.position ?? after) }
}

function isReached(caller: Caller, { data }: VitaeEvent): boolean {
  const { kind } = data as { kind?: Kind }
  return kind === undefined || missingRight(caller, kind) === null
}
