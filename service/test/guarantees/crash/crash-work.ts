import { setTimeout as pause } from 'node:timers/promises'
import type { Batch } from '@vitae/contract'
import { Receiver } from '../../events/webhooks/webhook-fixture.ts'
import { BatchCaller } from '../../batches/batch-caller.ts'
import { askAdmin } from '../../harness/ask-admin.ts'
import { notYet } from './crash-load.ts'
import { Effects } from '../outbox-run.ts'

const granted = 1_000_000
const rowsOfBatch = 40
/** Every second batch has a limit below the cost of its rows. */
const limit = 10
const erasedAtOnce = 3
const batchEnvironment = { project: 'batches', environment: 'production' }
const erasureEnvironment = { project: 'erasures', environment: 'production' }

/** Lost, doubled and over-limit amounts are credits; `wrong` lists everything else that must not happen. */
export interface WorkTally {
  batches: number
  rows: number
  events: number
  erasures: number
  lost: number
  doubled: number
  overLimit: number
  wrong: string[]
}

/** The work beside the calls of a crash run: batches, half of them with a limit, their webhook, and erasures. */
export class CrashWork {
  readonly wrong: string[] = []
  readonly #token: string
  readonly #receiver = new Receiver()
  readonly #effects = new Effects()
  readonly #open = new Map<string, number | null>()
  readonly #erased: string[] = []
  readonly #tally = { batches: 0, rows: 0, erasures: 0, overLimit: 0, found: 0 }
  #batchKey = ''
  #erasureKey = ''
  #webhookId = ''
  #submissions = 0
  #subjects = 0

  constructor(token: string) {
    this.#token = token
    this.#effects.attach(this.#receiver)
  }

  async prepare(url: string): Promise<void> {
    this.#batchKey = await this.#newKey(url, batchEnvironment)
    this.#erasureKey = await this.#newKey(url, erasureEnvironment)
    const events = ['batch.completed', 'batch.paused']
    const webhook = { ...batchEnvironment, url: await this.#receiver.listen(), events }
    this.#webhookId = (await this.#admin<{ id: string }>(url, 'POST', '/webhooks', webhook)).id
  }

  /** Submits one batch and erases a few people. Interrupted work is repeated after the crash. */
  async run(urls: readonly string[]): Promise<void> {
    await Promise.all([this.#submit(urls.at(-1) ?? ''), this.#erase(urls[0] ?? '')])
  }

  /** After a crash: no erased person exists, and no batch has exceeded its limit. */
  async readBooks(url: string): Promise<void> {
    for (const name of this.#erased.slice(-erasedAtOnce)) await this.#expectErased(url, name)
    const batches = new BatchCaller(url, this.#batchKey)
    for (const id of this.#open.keys()) {
      const { status, json, text } = await batches.ask(`/v1/batches/${id}`)
      if (status === 200) this.#close(json as unknown as Batch)
      else if (!notYet.has(status)) this.wrong.push(`batch ${id} is ${status} after a crash: ${text}`)
    }
  }

  /** Completes the rest, and counts. */
  async finish(url: string): Promise<WorkTally> {
    await this.run([url])
    while (this.#open.size > 0 && this.wrong.length === 0) {
      await this.readBooks(url)
      await pause(200)
    }
    for (const name of this.#erased) await this.#expectErased(url, name)
    await this.#allNotified(url)
    const spent = granted - (await this.#balance(url, batchEnvironment))
    const looked = granted - (await this.#balance(url, erasureEnvironment))
    const { found, ...counted } = this.#tally
    const paid = found + this.#subjects
    return {
      ...counted,
      events: this.#effects.byId.size,
      lost: Math.max(0, paid - spent - looked),
      doubled: Math.max(0, spent + looked - paid),
      wrong: this.wrong,
    }
  }

  close(): Promise<void> {
    return this.#receiver.close()
  }

  async #submit(url: string): Promise<void> {
    const number = this.#submissions
    const ids = Array.from({ length: rowsOfBatch }, (_, row) =>
      row % 10 === 3 ? `missing-${number}-${row}` : `row-${(number * 7 + row) % 200}`,
    )
    const cap = number % 2 === 0 ? { max_credits: limit } : {}
    const headers = { 'Idempotency-Key': `batch-${number}` }
    const sent = await new BatchCaller(url, this.#batchKey)
      .post({ kind: 'people', ids, ...cap }, headers)
      .catch(() => null)
    if (sent?.status === 202 || sent?.status === 200) {
      this.#open.set(String(sent.json['id']), number % 2 === 0 ? limit : null)
      this.#submissions += 1
      this.#tally.batches += 1
    } else if (sent && !notYet.has(sent.status)) this.wrong.push(`a batch was answered ${sent.status}: ${sent.text}`)
  }

  /** Removes a finished batch from the list. */
  #close({ id, status, credits_spent: spent, counts, pause_reason: reason }: Batch): void {
    const max = this.#open.get(id) ?? null
    if (max !== null && spent > max) this.#tally.overLimit += spent - max
    const isFull = status === 'paused' && reason === 'max_credits_reached'
    if (status === 'failed' || status === 'cancelled') this.wrong.push(`batch ${id} is ${status}`)
    if (status !== 'completed' && !isFull) return
    this.#open.delete(id)
    this.#tally.rows += counts.found + counts.not_found
    this.#tally.found += counts.found
    if (spent !== counts.found)
      this.wrong.push(`batch ${id} has ${counts.found} records and says that it spent ${spent}`)
    if (isFull && spent !== max) this.wrong.push(`batch ${id} rests at ${spent} of ${max}`)
    if (!isFull && counts.found !== rowsOfBatch * 0.9) this.wrong.push(`batch ${id} found ${counts.found}`)
  }

  async #erase(url: string): Promise<void> {
    const first = this.#erased.length
    const ids = Array.from({ length: erasedAtOnce }, (_, index) => `erased-${first + index}`)
    while (this.#subjects < first + erasedAtOnce) {
      const status = await this.#lookUp(url, `erased-${this.#subjects}`, `subject-${this.#subjects}`)
      if (status !== 200) return
      this.#subjects += 1
    }
    const path = `${url}/admin/v1/records/erase`
    const headers = { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ ids, kind: 'people', reason: 'asked for it' })
    const answer = await fetch(path, { method: 'POST', headers, body }).catch(() => null)
    const text = await answer?.text().catch(() => null)
    if (!answer || text === null || text === undefined) return
    if (answer.status === 200) {
      this.#erased.push(...ids)
      this.#tally.erasures += 1
    } else if (!notYet.has(answer.status)) this.wrong.push(`an erasure was answered ${answer.status}: ${text}`)
  }

  /** Erased people are answered like unknown ones: without a record, and with the faulty provider's failure. */
  async #expectErased(url: string, name: string): Promise<void> {
    const status = await this.#lookUp(url, name, null)
    if (status === 200) this.wrong.push(`${name} is there after its erasure`)
  }

  async #lookUp(url: string, name: string, idempotencyKey: string | null): Promise<number | null> {
    const headers = {
      ApiKey: this.#erasureKey,
      ...(idempotencyKey === null ? {} : { 'Idempotency-Key': idempotencyKey }),
    }
    try {
      const answer = await fetch(`${url}/v1/people/profile?profile_id=${name}`, { headers })
      const text = await answer.text()
      if (![200, 404, 502, 504].includes(answer.status) && !notYet.has(answer.status))
        this.wrong.push(`${name}: ${answer.status} ${text}`)
      return answer.status
    } catch {
      return null
    }
  }

  /** Every finished batch was notified. A successful test event makes a failed endpoint retry at once. */
  async #allNotified(url: string): Promise<void> {
    const told = () => new Set([...this.#effects.byId.values()].map(({ data }) => data.batch)).size
    while (told() < this.#tally.batches && this.wrong.length === 0) {
      const path = `/webhooks/${this.#webhookId}`
      const { attempts, retrying } = await this.#admin<{ attempts: number; retrying: number }>(url, 'GET', path)
      if (attempts + retrying > 0) await this.#admin(url, 'POST', `/webhooks/${this.#webhookId}/test`)
      await pause(200)
    }
  }

  async #newKey(url: string, environment: typeof batchEnvironment): Promise<string> {
    const { key } = await this.#admin<{ key: string }>(url, 'POST', '/keys', { ...environment, mode: 'live' })
    await this.#admin(url, 'POST', '/credits/grants', { ...environment, amount: granted })
    return key
  }

  async #balance(url: string, environment: typeof batchEnvironment): Promise<number> {
    const query = new URLSearchParams(environment).toString()
    return (await this.#admin<{ balance: number }>(url, 'GET', `/credits/balance?${query}`)).balance
  }

  #admin<T>(url: string, method: string, path: string, body?: unknown): Promise<T> {
    return askAdmin<T>({ url, token: this.#token }, method, path, body)
  }
}
