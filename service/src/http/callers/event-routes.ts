import { EventFeedQuery, eventTypes, type EventFeed, type EventType } from '@vitae/contract'
import type { FastifyInstance } from 'fastify'
import type { Caller } from '../../accounts/key-cache.ts'
import { sampleEvents } from '../../events/sample-events.ts'
import type { AppDeps } from '../deps.ts'
import { invalidParameter } from '../validate.ts'
import { callerRoute } from './caller-route.ts'

const usualLimit = 100

interface Page {
  after: number
  limit: number
  types: EventType[] | null
}

/** The feed of an environment's events. */
export function eventRoutes(app: FastifyInstance, deps: AppDeps): void {
  callerRoute(app, deps, {
    method: 'GET',
    path: '/v1/events',
    query: EventFeedQuery,
    async handle({ caller, query }): Promise<EventFeed> {
      const { after = '0', limit = usualLimit, type } = query
      const page = { after: Number(after), limit, types: type === undefined ? null : readTypes(type) }
      if (caller.mode === 'test') return sampleFeed(caller, page)
      const rows = await deps.store.readEvents({ ...page, accountId: caller.accountId, now: deps.clock.now() })
      return { events: rows.map(({ event }) => event), next: String(rows.at(-1)?.position ?? page.after) }
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

function sampleFeed(caller: Caller, { after, limit, types }: Page): EventFeed {
  const events = sampleEvents(caller)
    .map((event, index) => ({ event, position: index + 1 }))
    .filter(({ event, position }) => position > after && (types?.includes(event.type) ?? true))
    .slice(0, limit)
  return { events: events.map(({ event }) => event), next: String(events.at(-1)?.position ?? after) }
}
