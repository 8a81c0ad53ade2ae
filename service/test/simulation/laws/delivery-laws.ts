import type { OpenDatabase } from '../../harness/engines.ts'
import { wellName, type Receivers } from '../world/receivers.ts'
import { exercise } from './exercises.ts'
import { Violation } from './law.ts'
import { rowsOf } from './rows-of.ts'

interface Endpoint {
  id: string
  url: string
  environment_id: number
  state: string
  position: number
}

interface Event {
  id: string
  position: number | null
  account_id: number | null
}

interface Retry {
  webhook_id: string
  event_id: string
  failing_since: number
  parked_at: number | null
}

const givenUpAfterMs = 72 * 3_600_000

/**
 * The laws of events and receivers at rest: an endpoint has accepted an event, or the store still has to send it, or it
 * was parked after three days. `allWell`: every receiver has accepted everything for longer than the longest backoff.
 * Events newer than `upTo` were written after the last poll.
 */
export async function checkDeliveries(
  database: OpenDatabase,
  receivers: Receivers,
  { upTo, allWell }: { upTo: number; allWell: boolean },
): Promise<void> {
  const endpoints = await rowsOf<Endpoint>(database, 'select id, url, environment_id, state, position from webhooks')
  const events = await rowsOf<Event>(
    database,
    `select public_id as id, position, account_id from events where account_id is not null and id <= ${upTo} order by position`,
  )
  const retries = await rowsOf<Retry>(
    database,
    'select webhook_id, event_id, failing_since, parked_at from webhook_retries',
  )
  for (const retry of retries)
    if (retry.parked_at !== null && retry.parked_at - retry.failing_since < givenUpAfterMs)
      throw lost(`${retry.event_id} was parked too early`)
  for (const endpoint of endpoints) {
    const name = new URL(endpoint.url).pathname.slice(1)
    const taken = receivers.accepted.filter((one) => one.endpoint === name).map(({ event }) => event)
    const aside = new Map(retries.filter((one) => one.webhook_id === endpoint.id).map((one) => [one.event_id, one]))
    const own = events.filter((event) => event.account_id === endpoint.environment_id)
    checkOwn(name, new Set(own.map(({ id }) => id)), taken, events)
    for (const { id, position } of own) {
      const isAhead = position === null || position > endpoint.position
      const isAsked = isAhead && !(allWell || name === wellName)
      const retry = aside.get(id)
      exercise('every event is delivered, or parked', retry !== undefined)
      const isAside = retry !== undefined && (retry.parked_at !== null || !allWell)
      if (!taken.includes(id) && !isAsked && !isAside)
        throw lost(`${name} was never told of ${id} (${endpoint.state}, position ${endpoint.position} of ${position})`)
    }
  }
}

/** Events of one environment never go to another. */
function checkOwn(name: string, own: ReadonlySet<string>, taken: readonly string[], events: readonly Event[]): void {
  const others = new Set(events.filter(({ id }) => !own.has(id)).map(({ id }) => id))
  exercise('an endpoint gets only events of its own environment', taken.length > 0 && others.size > 0)
  const foreign = taken.find((event) => others.has(event))
  if (foreign)
    throw new Violation('an endpoint gets only events of its own environment', `${name} was told of ${foreign}`)
}

function lost(what: string): Violation {
  return new Violation('every event is delivered, or parked', what)
}
