import { describe, expect, test } from 'vitest'
import { coresignal, coresignalDefaultUrl } from '../../../src/providers/coresignal/coresignal.ts'
import { goldenPayload } from '../golden/golden-answers.ts'
import { askFor, scriptedSend } from '../scripted-send.ts'

const provider = coresignal({ url: coresignalDefaultUrl, key: 'secret-key' })
const person = goldenPayload('coresignal', 'people', 'a person')
const multiSource = goldenPayload('coresignal', 'companies', 'a company of the multi-source data set')

describe('an ask', () => {
  test("by number searches, because a number in the path is another company's id", async () => {
    const { send, requests } = scriptedSend({ body: [700_000_002] }, { body: multiSource })

    const verdict = await provider.ask(askFor('companies', 'id', '5550199'), send)

    expect(verdict.outcome).toBe('found')
    expect(requests.map(({ method, url, body }) => [method, url.pathname, body])).toEqual([
      ['POST', '/cdapi/v2/company_multi_source/search/es_dsl', '{"query":{"term":{"source_id":"5550199"}}}'],
      ['GET', '/cdapi/v2/company_multi_source/collect/700000002', undefined],
    ])
  })

  test('by a number that the search does not know ends there', async () => {
    const { send } = scriptedSend({ body: [] })

    expect((await provider.ask(askFor('companies', 'id', '1'), send)).outcome).toBe('not_found')
  })

  test("never accepts another company's record", async () => {
    const { send } = scriptedSend({ status: 404, body: { detail: 'Not Found' } }, { body: multiSource })

    expect((await provider.ask(askFor('companies', 'id', '42'), send)).outcome).toBe('not_found')
  })

  test('for a person with a numeric slug goes by page', async () => {
    const { send, requests } = scriptedSend({ body: person })

    await provider.ask(askFor('people', 'slug', '12345'), send)

    expect(decodeURIComponent(requests[0]?.url.pathname ?? '')).toBe(
      '/cdapi/v2/employee_multi_source/collect/https://www.linkedin.com/in/12345',
    )
  })

  test('treats a deleted record as not found', async () => {
    const { send } = scriptedSend({ body: { ...person, is_deleted: 1 } })

    expect((await provider.ask(askFor('people', 'slug', 'odile-quarry'), send)).outcome).toBe('not_found')
  })

  test('declares that it cannot look up opaque ids, so that the chain does not ask it by one', () => {
    expect(provider.refusesOpaqueIds).toBe(true)
  })

  test('recognises the wrapped refusals of a collector', async () => {
    const refused = (status: number) =>
      scriptedSend({ body: { success: false, status_code: status, error: '{}' } }).send
    const ask = askFor('people', 'slug', 'x')

    expect((await provider.ask(ask, refused(404))).outcome).toBe('not_found')
    await expect(provider.ask(ask, refused(402))).rejects.toMatchObject({ kind: 'rejected' })
    await expect(provider.ask(ask, refused(503))).rejects.toMatchObject({ kind: 'unavailable' })
  })
})
