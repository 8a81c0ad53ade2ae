import {
  eventTypes,
  keyChanges,
  kinds,
  type RecordChanges,
  type EventFeed,
  type EventType,
  type Kind,
  type VitaeEvent,
} from '@vitae/contract'
import { type Caller, mayNotBuy, missingRight, reachOf } from '../accounts/caller.ts'
import { readFeed, type FeedStore } from '../events/outbox/read-events.ts'
import { readChanges } from '../events/outbox/record-changes.ts'
import { sampleEvents } from '../events/sample-events.ts'
import type { LookupDeps } from '../lookup/payment/deps.ts'
import { codedBody, type CodedBytes, type Coding } from '../foundation/compress.ts'
import { mostFor } from '../lookup/payment/pay.ts'

interface Page {
  after: number
  limit: number
  /** Null = all. */
  types: EventType[] | null
}

/** Reads the next page of events that a key may see, as JSON that may be compressed. Test keys get a fictional feed. */
export async function eventFeed(
  { lookup, store }: { lookup: LookupDeps; store: { events: FeedStore } },
  caller: Caller,
  asked: Page & { coding: Coding | null },
): Promise<CodedBytes> {
  const page = { ...asked, types: allowedTypes(lookup, caller, asked.types) }
  if (caller.mode === 'test') return codedBody(JSON.stringify(sampleFeed(caller, page)), page.coding)
  const { environmentId } = caller
  return readFeed(store.events, { ...page, kinds: reachOf(caller).kinds, environmentId, now: lookup.clock.now() })
}

/** Reads the next page of changes to record keys of the environment, as JSON. Test keys get a fictional list. */
export async function recordChanges(
  { lookup, store }: { lookup: LookupDeps; store: { events: FeedStore } },
  caller: Caller,
  { after, limit, kind }: { after: number; limit: number; kind: Kind | null },
): Promise<string> {
  const reached = reachOf(caller).kinds ?? kinds
  const asked = kind === null ? reached : reached.filter((each) => each === kind)
  if (caller.mode === 'test') return JSON.stringify(sampleChanges(asked, after, limit))
  const { environmentId } = caller
  return readChanges(store.events, { after, limit, kinds: asked, environmentId, now: lookup.clock.now() })
}

function sampleChanges(asked: readonly Kind[], after: number, limit: number): RecordChanges {
  const at = '2026-11-14T09:30:00.000Z'
  const changes = keyChanges.map((change, index) => {
    const to = change === 'merged' || change === 'split' ? 'urn:li:member:100000009' : null
    return { kind: 'people', id: `urn:li:member:10000000${index + 1}`, change, to, at } as const
  })
  const page = asked.includes('people') ? changes.slice(after, after + limit) : []
  return { changes: page, next: String(after + page.length) }
}

const kindOf = { 'person.': 'people', 'company.': 'companies' } as const

/** Excludes change events of kinds that the key cannot afford: such an event contains a part of a record. */
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
