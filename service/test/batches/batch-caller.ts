import { createHash } from 'node:crypto'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { Batch, BatchResultRow } from '@vitae/contract'
import type { TestAnswer } from '../harness/test-service.ts'

type Submission = Record<string, unknown> | string

const unfinished = new Set(['queued', 'running'])

/** A program that uses batches over HTTP. */
export class BatchCaller {
  readonly url: string
  readonly key: string

  constructor(url: string, key: string) {
    this.url = url
    this.key = key
  }

  async ask(path: string, init: RequestInit = {}): Promise<TestAnswer> {
    const headers = { ApiKey: this.key, ...(init.headers as Record<string, string> | undefined) }
    const response = await fetch(`${this.url}${path}`, { ...init, headers })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') && !path.includes('/results')
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : {} }
  }

  post(body: Submission, headers: Record<string, string> = {}, query = ''): Promise<TestAnswer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const type = { 'content-type': 'application/json', ...headers }
    return this.ask(`/v1/batches${query}`, { method: 'POST', headers: type, body: text })
  }

  async submit(body: Submission, headers: Record<string, string> = {}, query = ''): Promise<string> {
    const answer = await this.post(body, headers, query)
    if (answer.status !== 202) throw new Error(`${answer.status} ${answer.text}`)
    return String(answer.json['id'])
  }

  async show(id: string): Promise<Batch> {
    return (await this.ask(`/v1/batches/${id}`)).json as unknown as Batch
  }

  async change(id: string, verb: 'cancel' | 'resume', body?: unknown): Promise<Batch> {
    const sent =
      body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
    return (await this.ask(`/v1/batches/${id}/${verb}`, { method: 'POST', ...sent })).json as unknown as Batch
  }

  /** Waits until the batch meets a condition; by default until it no longer runs. */
  async until(id: string, isThere = ({ status }: Batch) => !unfinished.has(status)): Promise<Batch> {
    for (;;) {
      const batch = await this.show(id)
      if (isThere(batch)) return batch
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  async results(id: string, query = ''): Promise<BatchResultRow[]> {
    const rows: BatchResultRow[] = []
    for await (const row of this.#rows(id, query)) rows.push(row)
    return rows
  }

  /**
   * A digest of each row without parts that may differ from an undisturbed run: request ids, times, source, and which
   * of several rows paid.
   */
  async digests(id: string): Promise<string[]> {
    const digests: string[] = []
    for await (const { row, input, status, error, record } of this.#rows(id, '')) {
      const answer = JSON.stringify([row, input, status, error, record])
      digests.push(`${row} ${createHash('sha256').update(answer).digest('base64url')}`)
    }
    return digests
  }

  async *#rows(id: string, query: string): AsyncGenerator<BatchResultRow> {
    const { body } = await fetch(`${this.url}/v1/batches/${id}/results${query}`, { headers: { ApiKey: this.key } })
    const lines = createInterface({ input: Readable.fromWeb(body as ReadableStream) })
    for await (const line of lines) yield JSON.parse(line) as BatchResultRow
  }
}
