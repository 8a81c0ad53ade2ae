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

  /** Waits until the batch is as it is wished; by default until it no longer runs. */
  async until(id: string, isThere = ({ status }: Batch) => !unfinished.has(status)): Promise<Batch> {
    for (;;) {
      const batch = await this.show(id)
      if (isThere(batch)) return batch
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  async results(id: string, query = ''): Promise<BatchResultRow[]> {
    const { text } = await this.ask(`/v1/batches/${id}/results${query}`)
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as BatchResultRow)
  }
}
