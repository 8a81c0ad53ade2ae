import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { once } from 'node:events'
import { startWatchedService, type WatchedService } from '../../harness/watched-service.ts'

const probe = join(import.meta.dirname, '../../harness/loop-probe.ts')
const mega = 1_048_576

export interface Measured {
  status: number
  body: string
  /** Above the memory before this body. */
  peakMb: number
  /** The longest block of the event loop. */
  longestMs: number
}

export interface Sent {
  method?: string
  path: string
  headers: Record<string, string>
  body: Buffer
}

/** Linux reports the peak memory of another process, and resets it on request. */
export const canMeasure = existsSync('/proc/self/clear_refs')

/** A service in its own process, whose memory and event loop are measured for each request. */
export class MeasuredService {
  readonly service: WatchedService
  readonly #probeUrl: string

  private constructor(service: WatchedService) {
    this.service = service
    this.#probeUrl = `http://127.0.0.1:${readFileSync(join(service.folder, 'watched.txt.probe'), 'utf8')}`
  }

  static async start(env: Record<string, string>): Promise<MeasuredService> {
    return new MeasuredService(await startWatchedService({ LOG_LEVEL: 'info', ...env }, [probe]))
  }

  async send(sent: Sent): Promise<Measured> {
    writeFileSync(`/proc/${this.service.pid}/clear_refs`, '5')
    const idleMb = this.#memory('VmRSS')
    await this.#longest()
    const { status, body } = await this.post(sent)
    const longestMs = await this.#longest()
    return { status, body, peakMb: this.#memory('VmHWM') - idleMb, longestMs }
  }

  /** Sends a body. Asks for keep-alive, or the service would close the connection after an early response. */
  async post({ method = 'POST', path, headers, body }: Sent): Promise<{ status: number; body: string }> {
    const agent = new Agent({ keepAlive: true })
    const options = { method, headers: { ...headers, 'content-length': body.length }, agent }
    const sent = request(`${this.service.url}${path}`, options)
    sent.on('error', () => undefined)
    const answered = once(sent, 'response') as Promise<[IncomingMessage]>
    sent.end(body)
    const [response] = await answered
    const answer = await text(response)
    agent.destroy()
    return { status: response.statusCode ?? 0, body: answer }
  }

  close(): Promise<void> {
    return this.service.close()
  }

  async #longest(): Promise<number> {
    return Number(await (await fetch(this.#probeUrl)).text())
  }

  #memory(name: string): number {
    const status = readFileSync(`/proc/${this.service.pid}/status`, 'utf8')
    return (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1_024) / mega
  }
}
