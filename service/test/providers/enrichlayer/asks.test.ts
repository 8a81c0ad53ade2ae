import { describe, expect, test } from 'vitest'
import { enrichlayer, enrichlayerDefaultUrl } from '../../../src/providers/enrichlayer/enrichlayer.ts'
import { goldenPayload } from '../golden/golden-answers.ts'
import { askFor, scriptedSend } from '../scripted-send.ts'

const provider = enrichlayer({ url: enrichlayerDefaultUrl, key: 'secret-key' })
const person = goldenPayload('enrichlayer', 'people', 'a person')
const company = goldenPayload('enrichlayer', 'companies', 'a company')

describe('an ask', () => {
  const now = Date.UTC(2026, 10, 14)
  const aged = (days: number) => ({
    ...person,
    meta: { last_updated: new Date(now - days * 86_400_000).toISOString() },
  })
  const flags = (url: URL | undefined) =>
    ['live_fetch', 'use_cache', 'fallback_to_cache'].map((name) => url?.searchParams.get(name) ?? null)

  test("uses the provider's copy if it is young enough", async () => {
    const { send, requests } = scriptedSend({ body: aged(6), headers: { 'X-Proxycurl-Credit-Cost': '1' } })

    const verdict = await provider.ask(askFor('people', 'slug', 'wren-saltmarsh'), send)

    expect(verdict).toMatchObject({ outcome: 'found', cost: 1 })
    expect(requests.map(({ url }) => flags(url))).toEqual([[null, 'if-recent', 'never']])
  })

  test('forces one live fetch if the copy is too old, and counts the cost of both', async () => {
    const cost = (credits: string) => ({ 'x-proxycurl-credit-cost': credits })
    const { send, requests } = scriptedSend(
      { body: aged(8), headers: cost('1') },
      { body: aged(8), headers: cost('10') },
    )

    const verdict = await provider.ask(askFor('people', 'slug', 'wren-saltmarsh'), send)

    expect(verdict).toMatchObject({ outcome: 'found', cost: 11 })
    expect(requests.map(({ url }) => flags(url))).toEqual([
      [null, 'if-recent', 'never'],
      ['force', null, 'never'],
    ])
  })

  test("with a maximum age of 0 uses that copy too: only the caller's store is empty", async () => {
    const { send, requests } = scriptedSend({ body: aged(6) })

    await provider.ask(askFor('people', 'slug', 'wren-saltmarsh', { maxAgeDays: 0 }), send)

    expect(requests.map(({ url }) => flags(url))).toEqual([[null, 'if-recent', 'never']])
  })

  test('for fresh data bypasses the cache at once', async () => {
    const { send, requests } = scriptedSend({ body: aged(0) })

    await provider.ask(askFor('people', 'slug', 'wren-saltmarsh', { fresh: true, maxAgeDays: 0 }), send)

    expect(requests.map(({ url }) => flags(url))).toEqual([['force', null, 'never']])
  })

  test('for a company number first asks for its page', async () => {
    const { send, requests } = scriptedSend(
      { body: { url: 'https://www.linkedin.com/company/ebb-office' } },
      { body: company },
    )

    const verdict = await provider.ask(askFor('companies', 'id', '5550123', { maxAgeDays: 30 }), send)

    expect(verdict.outcome).toBe('found')
    expect(
      requests.map(({ url }) => [url.pathname, url.searchParams.get('id') ?? url.searchParams.get('url')]),
    ).toEqual([
      ['/api/v2/company/resolve-id', '5550123'],
      ['/api/v2/company', 'https://www.linkedin.com/company/ebb-office'],
    ])
  })

  test('for a number without a page ends there', async () => {
    const { send } = scriptedSend({ body: { url: null } })

    expect((await provider.ask(askFor('companies', 'id', '1'), send)).outcome).toBe('not_found')
  })

  test('for a company that is a school finds it at the other endpoint', async () => {
    const { send, requests } = scriptedSend({ status: 404, body: { code: 404 } }, { body: company })

    const verdict = await provider.ask(askFor('companies', 'slug', 'school-of-moons', { maxAgeDays: 30 }), send)

    expect(verdict.outcome).toBe('found')
    expect(requests.map(({ url }) => `${url.pathname} ${url.searchParams.get('url')}`)).toEqual([
      '/api/v2/company https://www.linkedin.com/company/school-of-moons/',
      '/api/v2/school https://www.linkedin.com/school/school-of-moons/',
    ])
  })

  test('recognises "not found" inside a 200, and never in a web page', async () => {
    const hidden = scriptedSend({
      body: { code: 404, name: 'Not Found', description: 'Person profile does not exist' },
    })
    const page = scriptedSend({ status: 404, body: '<html>nginx</html>' })

    expect((await provider.ask(askFor('people', 'slug', 'x'), hidden.send)).outcome).toBe('not_found')
    await expect(provider.ask(askFor('people', 'slug', 'x'), page.send)).rejects.toMatchObject({ kind: 'invalid' })
  })
})
