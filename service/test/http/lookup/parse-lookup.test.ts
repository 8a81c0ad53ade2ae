import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../../src/foundation/failure.ts'
import type { Progress } from '../../../src/http/exchange/lookup-request.ts'
import { LookupParser } from '../../../src/http/exchange/parse-lookup.ts'

function parse(search: string) {
  const progress: Progress = {
    requestId: '',
    startedAt: 0,
    caller: null,
    rate: null,
    ignoredParameters: null,
    spendTag: null,
    tagCountedAs: null,
  }
  const headers = {
    apiKey: undefined,
    idempotencyKey: undefined,
    spendTag: undefined,
    cacheControl: undefined,
    forwardedFor: undefined,
    accept: undefined,
    coding: null,
  }
  try {
    const lookup = new LookupParser(['linkedin.com']).parse({ kind: 'people', search, headers, peer: '' }, progress)
    return { lookup, ignored: progress.ignoredParameters, wrong: [] }
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'invalid_request') throw error
    return {
      lookup: null,
      ignored: progress.ignoredParameters,
      wrong: error.details.errors?.map(({ parameter }) => parameter),
    }
  }
}

describe('max_age_days', () => {
  test('every plain decimal is parsed like JavaScript does', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(digits, fc.option(digits), (whole, fraction) => {
        const text = fraction === null ? whole : `${whole}.${fraction}`
        expect(parse(`profile_id=ada&max_age_days=${text}`).lookup?.freshness.maxAgeDays).toBe(Number(text))
      }),
    )
  })

  test.each(['', '-1', '+1', '1e3', '.5', '5.', '0x10', 'NaN', 'Infinity', '1,5', ' 1'])('%j is refused', (text) => {
    expect(parse(`profile_id=ada&max_age_days=${encodeURIComponent(text)}`).wrong).toEqual(['max_age_days'])
  })
})

describe('booleans', () => {
  const spelled = (word: string) =>
    fc
      .array(fc.boolean(), { minLength: word.length, maxLength: word.length })
      .map((upper) => Array.from(word, (letter, at) => (upper[at] ? letter.toUpperCase() : letter)).join(''))

  test('true, false, 1 and 0 are accepted in any case', () => {
    const truths = fc.oneof(spelled('true'), fc.constant('1')).map((text) => ({ text, value: true }))
    const lies = fc.oneof(spelled('false'), fc.constant('0')).map((text) => ({ text, value: false }))
    fc.assert(
      fc.property(fc.oneof(truths, lies), ({ text, value }) => {
        const { lookup } = parse(`profile_id=ada&include_contact_info=${text}&bypass_cache=${text}`)
        expect(lookup?.include.contact).toBe(value)
        expect(lookup?.freshness.bypassCache).toBe(value)
      }),
    )
  })

  test.each(['', 'yes', 'no', 'on', '2', '01', 't', 'true ', 'null'])('%j is refused', (text) => {
    expect(parse(`profile_id=ada&bypass_cache=${encodeURIComponent(text)}`).wrong).toEqual(['bypass_cache'])
  })
})

describe('unknown parameters', () => {
  test('are ignored and named once each, in order', () => {
    const { lookup, ignored } = parse('profile_id=ada&field=a&includ_contact_info=true&field=b')
    expect(lookup?.identifier.value).toBe('ada')
    expect(ignored).toBe('field, includ_contact_info')
  })

  test('are named even if the query is refused', () => {
    expect(parse('profileId=ada')).toMatchObject({ ignored: 'profileId', wrong: ['profile_id'] })
  })

  test('are not named if there are none', () => {
    expect(parse('profile_id=ada&bypass_cache=0').ignored).toBeNull()
  })

  test('never repeat an API key in place of a name', () => {
    expect(parse(`profile_id=ada&vt_live_${'x'.repeat(38)}=1`).ignored).toBe('vt_')
  })

  test('have at most ten short plain names in the header, for any input', () => {
    const names = fc.array(fc.string({ unit: 'binary', minLength: 1, maxLength: 80 }), { minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(names, (sent) => {
        const search = sent.map((name) => `${encodeURIComponent(name.toWellFormed())}=1`).join('&')
        const named = parse(`profile_id=ada&${search}`).ignored?.split(', ') ?? []
        expect(named.length).toBeLessThanOrEqual(10)
        for (const name of named) expect(name).toMatch(/^[\w.[\]-]{1,40}$/)
      }),
    )
  })
})
