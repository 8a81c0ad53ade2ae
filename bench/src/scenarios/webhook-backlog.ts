import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { adminToken, type Vitae } from '../contestants/vitae.ts'
import type { Store } from '../stores/stores.ts'

const endpoints = 8

/** Endpoints of one environment with a full backlog of events, and a receiver that accepts each event at once. */
export class WebhookBacklog {
  readonly #url: string
  readonly #receiver = createServer((request, response) => {
    request.resume().once('end', () => {
      this.delivered++
      response.writeHead(204).end()
    })
  })
  /** The number of delivered events. */
  delivered = 0

  constructor({ url }: Vitae) {
    this.#url = `${url}/admin/v1/webhooks`
  }

  /** Creates paused endpoints that all events of the store are queued for. */
  async open({ dataDir }: Store, owner: { project: string; environment: string }): Promise<void> {
    await once(this.#receiver.listen(0, '127.0.0.1'), 'listening')
    const { port } = this.#receiver.address() as AddressInfo
    // Removes endpoints of an earlier run on a kept store.
    await this.#each('DELETE')
    const events = ['person.changed']
    for (let number = 0; number < endpoints; number++)
      await this.#ask('POST', '', { ...owner, url: `http://127.0.0.1:${port}/${number}`, events })
    await this.send(false)
    // An endpoint starts with the next event, and no operation changes that, so this writes to the database directly.
    const database = new DatabaseSync(join(dataDir, 'vitae.db'), { timeout: 5_000 })
    database.exec('update webhooks set position = 0')
    database.close()
  }

  /** Starts or stops the deliveries. */
  send(isActive: boolean): Promise<void> {
    return this.#each('PATCH', { state: isActive ? 'active' : 'paused' })
  }

  close(): void {
    this.#receiver.close()
    this.#receiver.closeAllConnections()
  }

  async #each(method: string, body?: object): Promise<void> {
    const { webhooks } = (await this.#ask('GET', '')) as { webhooks: { id: string }[] }
    for (const { id } of webhooks) await this.#ask(method, `/${id}`, body)
  }

  async #ask(method: string, path: string, body?: object): Promise<unknown> {
    const type = body ? { 'content-type': 'application/json' } : {}
    const headers = { authorization: `Bearer ${adminToken}`, ...type }
    const text = body ? { body: JSON.stringify(body) } : {}
    const response = await fetch(`${this.#url}${path}`, { method, headers, ...text })
    const answer = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer}`)
    return answer === '' ? null : JSON.parse(answer)
  }
}
