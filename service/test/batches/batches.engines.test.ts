import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService } from '../harness/test-service.ts'
import { BatchCaller } from './batch-caller.ts'

describe('batches over HTTP', () => {
  let service: TestService
  const caller = async (credits: number, wish: Record<string, unknown> = {}) => {
    const made = await service.newCaller(credits, wish)
    return { ...made, batches: new BatchCaller(service.url, made.key) }
  }

  beforeAll(async () => {
    service = await startTestService({ realClock: true, env: { VITAE_BATCH_ROWS: '3000' } })
  })
  afterAll(() => service.close())

  test('a batch answers every row in the order of the input, and each found row is paid for once', async () => {
    const { batches, balance } = await caller(100)
    const ids = ['ada-batch', 'https://www.linkedin.com/in/grace-batch/', 'not an id', 'missing-person', 'ada-batch']

    const answer = await batches.post({ kind: 'people', ids, name: 'guests' })
    const id = String(answer.json['id'])
    const batch = await batches.until(id)
    const rows = await batches.results(id)

    expect(answer.status).toBe(202)
    expect(answer.headers.get('location')).toBe(`/v1/batches/${id}`)
    expect(answer.json).toEqual({ id, status: 'queued', total: 5, created_at: expect.any(String) })
    expect(batch).toMatchObject({ status: 'completed', name: 'guests', credits_spent: 3, seconds_left: 0 })
    expect(batch.counts).toEqual({ found: 3, not_found: 1, invalid: 1, failed: 0, waiting: 0 })
    expect(rows.map(({ row, input, status }) => [row, input, status])).toEqual([
      [1, 'ada-batch', 'found'],
      [2, 'https://www.linkedin.com/in/grace-batch/', 'found'],
      [3, 'not an id', 'invalid'],
      [4, 'missing-person', 'not_found'],
      [5, 'ada-batch', 'found'],
    ])
    expect(rows.map(({ error, credits }) => [error, credits])).toEqual([
      [null, 1],
      [null, 1],
      ['invalid_request', 0],
      ['not_found', 0],
      [null, 1],
    ])
    expect(rows[0]?.record).toEqual(
      (await service.get('/v1/people/profile?profile_id=ada-batch', { ApiKey: batches.key })).json,
    )
    expect(await balance()).toBe(96)
  })
})
