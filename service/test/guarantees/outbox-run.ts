import { setTimeout as pause } from 'node:timers/promises'
import { examplePerson } from '../../../contract/src/operations/example-records.ts'
import type { FakeProvider } from '../../fake-provider/fake-provider.ts'
import { startFakeProvider } from '../../fake-provider/start-fake-provider.ts'
import { Receiver } from '../events/webhooks/webhook-fixture.ts'
import { askAdmin } from '../harness/ask-admin.ts'

interface Told {
  id: string
  type: string
  /** Of a changed record, or of a batch. */
  data: { changes?: { path: string; after: unknown }[]; batch?: string }
}

export const token = 'a-token-for-outbox-tests'
const people = 6
const environment = { project: 'acme', environment: 'production' }
/** More than any run spends. */
const granted = 1_000_000

/** The receiver's state: each event once by its id, however often it arrived. */
export class Effects {
  readonly byId = new Map<string, Told>()
  repeated = 0
  failures = 0

  /** Fails at random: before the work, or after it, so that the sender does not learn of it. */
  attach(receiver: Receiver): void {
    receiver.respond = (response, { body }) => {
      const event = JSON.parse(body) as Told
      const chance = Math.random()
      if (event.type !== 'webhook.test' && chance < 0.1) {
        this.failures++
        response.writeHead(500).end()
        return
      }
      if (this.byId.has(event.id)) this.repeated++
      else if (event.type !== 'webhook.test') this.byId.set(event.id, event)
      if (event.type !== 'webhook.test' && chance > 0.95) response.destroy()
      else response.writeHead(204).end()
    }
  }
}

/** A provider whose people change at every fetch, a receiver that fails at random, and the answers of callers. */
export async function openOutbox() {
  const upstream = await startFakeProvider({ provider: 'mirror' })
  const receiver = new Receiver()
  const url = await receiver.listen()
  const effects = new Effects()
  effects.attach(receiver)
  const load = new Load(upstream)
  return {
    env: {
      // Needed for the log line with its URL.
      LOG_LEVEL: 'info',
      VITAE_ADMIN_TOKEN: token,
      VITAE_RATE_LIMIT: '1000000/60s',
      VITAE_UPSTREAM: 'mirror',
      VITAE_MIRROR_URL: upstream.url,
      VITAE_MIRROR_KEY: upstream.key,
      VITAE_WEBHOOK_NETWORKS: '127.0.0.0/8',
    },
    effects,
    load,
    /** Creates the key, the watches and the webhook; returns the webhook's id. */
    async prepare(service: string): Promise<string> {
      const ask = { url: service, token }
      const made = await askAdmin<{ key: string }>(ask, 'POST', '/keys', { ...environment, mode: 'live' })
      await askAdmin(ask, 'POST', '/credits/grants', { ...environment, amount: granted })
      await load.watch(service, made.key)
      const events = ['person.changed', 'person.job_changed', 'person.promoted']
      return (await askAdmin<{ id: string }>(ask, 'POST', '/webhooks', { ...environment, url, events })).id
    },
    async close() {
      await receiver.close()
      await upstream.close()
    },
  }
}

/** Callers that look up people who have a new headline each time. */
class Load {
  readonly #upstream: FakeProvider
  /** Headlines in answers: each was committed with its event. */
  readonly answered = new Set<string>()
  #key = ''
  #count = 0
  #firstAnswer = Promise.withResolvers<void>()

  constructor(upstream: FakeProvider) {
    this.#upstream = upstream
  }

  async watch(service: string, key: string): Promise<void> {
    this.#key = key
    for (let person = 0; person < people; person++) {
      const id = this.#change(person).id
      await this.#get(service, id)
      const headers = { ApiKey: key, 'content-type': 'application/json' }
      const body = JSON.stringify({ kind: 'people', id, every_days: 365 })
      const answer = await fetch(`${service}/v1/watches`, { method: 'POST', headers, body })
      if (answer.status !== 201) throw new Error(`no watch: ${answer.status} ${await answer.text()}`)
    }
  }

  /** Calls until the service dies or the signal aborts. The services take turns. */
  async run(services: readonly string[], stopped: AbortSignal): Promise<void> {
    this.#firstAnswer = Promise.withResolvers()
    const one = async (person: number) => {
      while (!stopped.aborted) {
        const { id, headline } = this.#change(person)
        const service = services[this.#count % services.length] ?? ''
        const answer = await this.#get(service, id).catch(() => null)
        if (answer?.headline === headline) this.answered.add(headline)
        if (answer) this.#firstAnswer.resolve()
      }
    }
    await Promise.all(Array.from({ length: people }, (_, person) => one(person)))
  }

  /** Resolves with the first answer of the current run. */
  underWay(): Promise<void> {
    return this.#firstAnswer.promise
  }

  #change(person: number): { id: string; headline: string } {
    const id = `changing-person-${person}`
    const headline = `Headline ${(this.#count += 1)}`
    const record = {
      ...examplePerson,
      public_identifier: id,
      member_urn: `urn:li:member:${900_000 + person}`,
      headline,
    }
    this.#upstream.people.set(id, record)
    return { id, headline }
  }

  async #get(service: string, id: string): Promise<{ headline: string } | null> {
    const query = `profile_id=${id}&bypass_cache=true`
    const answer = await fetch(`${service}/v1/people/profile?${query}`, { headers: { ApiKey: this.#key } })
    return answer.ok ? ((await answer.json()) as { headline: string }) : null
  }
}

/** Lets the load run for a random time. */
export async function randomWhile(): Promise<void> {
  await pause(50 + Math.random() * 250)
}

/**
 * Waits until the endpoint has no pending event. A successful test event makes it retry at once, because 5 s are long
 * here.
 */
export async function drained(service: string, webhookId: string, known: () => Promise<string[]>, effects: Effects) {
  const ask = { url: service, token }
  for (;;) {
    const webhook = await askAdmin<{ attempts: number; retrying: number }>(ask, 'GET', `/webhooks/${webhookId}`)
    if (webhook.attempts + webhook.retrying > 0) await askAdmin(ask, 'POST', `/webhooks/${webhookId}/test`)
    if ((await known()).every((id) => effects.byId.has(id))) return
    await pause(200)
  }
}

/** The headlines in received events. */
export function receivedHeadlines(effects: Effects): Set<unknown> {
  const changes = [...effects.byId.values()].flatMap(({ data }) => data.changes ?? [])
  return new Set(changes.filter(({ path }) => path === 'headline').map(({ after }) => after))
}
