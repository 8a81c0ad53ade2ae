import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { contractPerson } from '../../fake-provider/contract-person.ts'

export type Script = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>

/** Answers with a fictional person of the requested name. */
export const goodPerson: Script = (request, response) => {
  sendJson(response, JSON.stringify(contractPerson(nameIn(request))))
}

/** The requested name in a mirror request. */
export function nameIn(request: IncomingMessage): string {
  return new URL(request.url ?? '', 'http://mirror').searchParams.get('profile_id') ?? ''
}

/** Sends a body with a JSON content type. */
export function sendJson(response: ServerResponse, body: string | Uint8Array): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(body)
}

/** A real HTTP server as the mirror, which runs a test's script. */
export class ScriptedUpstream {
  /** The requested names, in order. */
  readonly asked: string[] = []
  script: Script = goodPerson
  readonly #server = createServer((request, response) => {
    this.asked.push(nameIn(request))
    void this.script(request, response)
  })

  async start(port = 0): Promise<this> {
    this.#server.listen(port, '127.0.0.1')
    await once(this.#server, 'listening')
    return this
  }

  /** The environment that makes a service use this server. */
  get env(): Record<string, string> {
    return { VITAE_MIRROR_URL: `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}` }
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }
}

/** A gate that blocks callers until it is opened. */
export class Gate {
  readonly #opened = Promise.withResolvers<void>()
  readonly #reached = Promise.withResolvers<void>()

  /** Resolves when a caller waits at the gate. */
  get reached(): Promise<void> {
    return this.#reached.promise
  }

  open(): void {
    this.#opened.resolve()
  }

  /** The same script, but only after the gate is open. */
  before(script: Script): Script {
    return async (request, response) => {
      this.#reached.resolve()
      await this.#opened.promise
      await script(request, response)
    }
  }
}
