import { EventFeedQuery, eventTypes, type EventFeed, type EventType, type Kind, type VitaeEvent } from '@vitae/contract'
import type { FastifyInstance } from 'fastify'
import type { Caller } from '../../accounts/key-cache.ts'
import { mayNotBuy, missingRight, reachOf } from '../../accounts/key-rights.ts'
import type { LookupDeps } from '../../lookup/deps.ts'
import { sampleEvents } from '../../events/sample-events.ts'
import { mostFor } from '../../lookup/pay.ts'
import type { AppDeps } from '../deps.ts'
import { invalidParameter } from '../validate.ts'
import { callerRoute } from './caller-route.ts'
import { readFeed } from '../../events/read-events.ts'

const usualLimit = 100

interface Page {
  after: number
  limit: number
  types: EventType[] | null
}

/** The feed of an environment's events: those that the key may see. */
export function eventRoutes(app: FastifyInstance, deps: AppDeps): void {
  callerRoute(app, deps, {
    method: 'GET',
    path: '/v1/events',
    query: EventFeedQuery,
    async handle({ caller, query, reply }): Promise<EventFeed | string> {
      const { after = '0', limit = usualLimit, type } = query
      const asked = type === undefined ? null : readTypes(type)
      const page = { after: Number(after), limit, types: allowedTypes(deps.lookup, caller, asked) }
      if (caller.mode === 'test') return sampleFeed(caller, page)
      const { kinds } = reachOf(caller)
      reply.type('application/json; charset=utf-8')
      return readFeed(deps.store, { ...page, kinds, environmentId: caller.environmentId, now: deps.clock.now() })
    },
  })
}

function readTypes(text: string): EventType[] {
  const names = text.split(',').map((name) => name.trim())
  const known = eventTypes.filter((type) => names.includes(type))
  const unknown = names.find((name) => !known.some((type) => type === name))
  if (unknown !== undefined)
    throw invalidParameter('type', `names no event: ${unknown.slice(0, 50)}; there are ${eventTypes.join(', ')}`)
  return known
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
