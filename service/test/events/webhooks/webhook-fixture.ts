import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { projectOperations } from '../../../src/accounts/project-operations.ts'
import { storeOn } from '../../harness/store-on.ts'
import { leaseOperations } from '../../../src/work/leases.ts'
import { auditOperations } from '../../../src/audit/audit-operations.ts'
import { eventOperations } from '../../../src/events/operations.ts'
import { webhookOperations } from '../../../src/events/webhooks/operations.ts'
import { newWebhookSecret, sealSecret } from '../../../src/events/webhooks/secrets.ts'
import { WebhookSender } from '../../../src/events/webhooks/sender.ts'
import { targetRules } from '../../../src/events/webhooks/delivery/target-addresses.ts'
import { writeEvents } from '../../../src/events/outbox/event-upkeep.ts'
import { createLog } from '../../../src/foundation/log.ts'
import { Scheduler } from '../../../src/foundation/pacing/scheduler.ts'
import { addEnvironment } from '../../credits/ledger.ts'
import type { Engine } from '../../harness/engines.ts'
import { TestClock } from '../../harness/test-service.ts'

const subjects = {
  projects: projectOperations,
  audit: auditOperations,
  events: eventOperations,
  webhooks: webhookOperations,
  leases: leaseOperations,
}
export const serviceSecret = 'the secret of the service'

export interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: string
}

/** A real receiver on loopback that keeps its requests. Its response can be scripted. */
export class Receiver {
  readonly requests: Received[] = []
  respond: (response: ServerResponse, request: Received) => void = (response) => response.end('thanks')
  readonly #server: Server
  readonly #waiting = new Set<() => void>()

  constructor() {
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = []
      request.on('data', (part: Buffer) => parts.push(part))
      request.on('end', () => {
        const received = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(parts).toString() }
        this.requests.push(received)
        this.respond(response, received)
        for (const wake of this.#waiting) wake()
      })
    })
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`
  }

  /** The numbers in the received events, in order of arrival. */
  get numbers(): number[] {
    return this.requests.map(({ body }) => (JSON.parse(body) as { data: { balance: number } }).data.balance)
  }

  /** Resolves when the given number of requests have arrived. */
  async arrived(count: number): Promise<void> {
    while (this.requests.length < count)
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.#waiting.delete(wake)
          resolve()
        }
        this.#waiting.add(wake)
      })
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

/** A real store and a sender, with a stopped clock. */
export async function openWebhooks(engine: Engine) {
  const database = await engine.open()
  const store = storeOn(database, subjects)
  const clock = new TestClock()
  const receivers: Receiver[] = []
  let projects = 0
  let webhooks = 0

  const deps = (rules = targetRules(['127.0.0.0/8'])) => ({
    store,
    clock,
    secret: serviceSecret,
    target: { rules, resolve: async () => [] },
    onAttempt: () => undefined,
    log: createLog('silent', false),
    scheduler: new Scheduler(),
  })
  const service = {
    database,
    store,
    clock,
    deps,
    newSender: () => new WebhookSender(deps()),
    async newEnvironment(environment = 'production', project = `project-${(projects += 1)}`) {
      // The sender of an earlier test is gone.
      await store.leases.freeLeases(null)
      const id = await addEnvironment(database, { project, environment }, 0)
      return { id, project, environment }
    },
    async newReceiver() {
      const receiver = new Receiver()
      receivers.push(receiver)
      return { receiver, url: await receiver.listen() }
    },
    async newWebhook(
      { project, environment }: { project: string; environment: string | null },
      url: string,
      { format = 'json' }: { format?: 'json' | 'slack' } = {},
    ) {
      const id = `wh_${(webhooks += 1)}`
      const secret = newWebhookSecret()
      const sealed = sealSecret(serviceSecret, id, secret)
      const events = ['credits.low', 'provider.down'] as const
      await store.webhooks.createWebhook({
        id,
        project,
        environment,
        url,
        events,
        format,
        secret: sealed,
        actor: 'test',
        at: clock.now(),
        atMost: 20,
      })
      return { id, secret }
    },
    /** Writes one `credits.low` event per number. */
    write: (environmentId: number | null, ...numbers: number[]) =>
      database.write(({ db: tx }) =>
        writeEvents(
          tx,
          database.dialect,
          numbers.map((balance) => ({
            type: 'credits.low',
            at: clock.now(),
            environmentId,
            data: { balance, threshold: 100 },
          })),
        ),
      ),
    writeDown: (environmentId: number) =>
      database.write(({ db: tx }) => {
        const data = { provider: 'mirror', reason: null }
        return writeEvents(tx, database.dialect, [{ type: 'provider.down', at: clock.now(), environmentId, data }])
      }),
    /** An environment, a receiver, a webhook between them, and a sender. */
    async connected() {
      const environment = await service.newEnvironment()
      const { receiver, url } = await service.newReceiver()
      const webhook = await service.newWebhook(environment, url)
      return { environment, receiver, url, webhook, sender: service.newSender() }
    },
    async close() {
      await Promise.all(receivers.map((receiver) => receiver.close()))
      await database.close()
    },
  }
  return service
}
