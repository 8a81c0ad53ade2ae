import { eventTypes, type eventOperations, type EventType } from '@vitae/contract'
import { eventFeed, recordChanges } from '../../own-calls/event-feed.ts'
import type { AppDeps } from '../exchange/deps.ts'
import { invalidParameter } from '../../foundation/failure.ts'
import type { Handlers } from './caller-route.ts'

const eventsAtOnce = 100

/** The feed of the environment's events that the key may see. */
export function eventHandlers(deps: AppDeps): Handlers<typeof eventOperations> {
  return {
    async listEvents({ caller, query: { after = '0', limit = eventsAtOnce, type }, reply }) {
      const types = type === undefined ? null : readTypes(type)
      const page = await eventFeed(deps, caller, { after: Number(after), limit, types })
      reply.type('application/json; charset=utf-8')
      return page
    },
    async listRecordChanges({ caller, query: { after = '0', limit = eventsAtOnce, kind = null }, reply }) {
      const page = await recordChanges(deps, caller, { after: Number(after), limit, kind })
      reply.type('application/json; charset=utf-8')
      return page
    },
  }
}

function readTypes(text: string): EventType[] {
  const names = text.split(',').map((name) => name.trim())
  const known = eventTypes.filter((type) => names.includes(type))
  const unknown = names.find((name) => !known.some((type) => type === name))
  if (unknown !== undefined)
    throw invalidParameter(
      'type',
      `has an unknown event type: ${unknown.slice(0, 50)}; the types are ${eventTypes.join(', ')}`,
    )
  return known
}
