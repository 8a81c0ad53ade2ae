import { describe, expect, test } from 'vitest'
import { peopledatalabs, peopledatalabsDefaultUrl } from '../../../src/providers/peopledatalabs/peopledatalabs.ts'
import { askFor, scriptedSend } from '../scripted-send.ts'

const provider = peopledatalabs({ url: peopledatalabsDefaultUrl, key: 'secret-key' })

describe('an ask', () => {
  test.each([
    ['people', 'slug', 'ines-lantern', '/v5/person/enrich?profile=linkedin.com%2Fin%2Fines-lantern&titlecase=true'],
    ['people', 'id', '16180339', '/v5/person/enrich?lid=16180339&titlecase=true'],
    [
      'companies',
      'slug',
      'lamp-office',
      '/v5/company/enrich?profile=linkedin.com%2Fcompany%2Flamp-office&titlecase=true',
    ],
    ['companies', 'id', '4343', '/v5/company/enrich?profile=linkedin.com%2Fcompany%2F4343&titlecase=true'],
  ] as const)(
    'for %s by %s asks for names as they are written, the key in a header',
    async (kind, type, value, path) => {
      const { send, requests } = scriptedSend({ body: { status: 200 }, headers: { 'x-call-credits-spent': '1' } })

      const verdict = await provider.ask(askFor(kind, type, value), send)

      expect(verdict).toMatchObject({ outcome: 'found', cost: 1 })
      expect(requests.map(({ url }) => url.href)).toEqual([`${peopledatalabsDefaultUrl}${path}`])
      expect(requests[0]?.headers['x-api-key']).toBe('secret-key')
    },
  )

  test('recognises "no match" inside a 200', async () => {
    const { send } = scriptedSend({ body: { status: 404, error: { type: 'not_found' } } })

    expect((await provider.ask(askFor('people', 'slug', 'x'), send)).outcome).toBe('not_found')
  })
})
