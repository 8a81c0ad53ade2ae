import { emptyCompany, emptyPerson } from '@vitae/contract'
import { expect, test } from 'vitest'
import type { MatchInput } from '../../../src/foundation/identifier.ts'
import { companyIn } from '../../../src/lookup/recall/recall-record.ts'
import { ambiguousMatch, askedNames, learnedFrom } from '../../../src/lookup/fetch/learned-names.ts'

const secret = 'a secret of the tests'
const input: MatchInput = { email: 'ada@example.com', phone: '+4930901820', first_name: 'Ada', minLikelihood: 0.8 }
const about = (match?: MatchInput) => ({
  kind: 'people' as const,
  type: 'match' as const,
  value: 'x',
  ...(match && { match }),
})
const need = (match?: MatchInput) => ({ identifier: about(match), fresh: false, maxAgeDays: 30, route: null })
const body = Buffer.from(JSON.stringify({ ...emptyPerson('urn:1', 'urn:2'), first_name: 'Ada' }))
const [whole, email, phone] = askedNames(secret, about(input))
const learned = (likelihood: number, ...matchedOn: ('email' | 'phone' | 'name')[]) =>
  learnedFrom(secret, need(input), { match: { likelihood, matchedOn }, body })

test('a match can be found by the whole question, by its address and by its number', () => {
  expect([whole, email, phone].map((name) => name?.type)).toEqual(['match', 'email', 'phone'])
  expect(new Set([whole, email, phone].map((name) => name?.value)).size).toBe(3)
  expect(askedNames(secret, about({ phone: '+4930901820', minLikelihood: 0.8 })).map(({ type }) => type)).toEqual([
    'match',
    'phone',
  ])
  expect(askedNames(secret, about())).toEqual([])
})

test('a question finds the record from now on, an address or a number only if it agreed', () => {
  expect(learned(0.9, 'name')).toEqual({ names: [whole], likelihood: 0.9, matchedOn: ['name'] })
  expect(learned(0.9, 'email')?.names).toEqual([whole, email])
  expect(learned(0.9, 'phone')?.names).toEqual([whole, phone])
  expect(learned(0.8, 'email', 'phone')?.names).toEqual([whole, email, phone])
})

test("nothing is learned from an unlikely record, a stranger's record, or without a match", () => {
  expect(learned(0.79, 'email')).toBeNull()
  const match = { likelihood: 1, matchedOn: ['email' as const] }
  expect(learnedFrom(secret, { ...need(input), expect: { first_name: 'Sybil' } }, { match, body })).toBeNull()
  expect(learnedFrom(secret, need(), { match, body })).toBeNull()
  expect(learnedFrom(secret, need(input), { match: undefined, body })).toBeNull()
  // Required fields have nothing to do with the record's person.
  expect(learnedFrom(secret, { ...need(input), require: ['headline'] }, { match, body })?.names).toEqual([whole, email])
})

test('people who match equally well are not told apart', () => {
  const { code, message } = ambiguousMatch()
  expect([code, message]).toEqual([
    'ambiguous_match',
    'Several records fit equally well. Send more details about the one you mean.',
  ])
})

test('a company contributes its names and its own site', () => {
  const told = (over: object) => companyIn(Buffer.from(JSON.stringify({ ...emptyCompany(), ...over })))
  const names = { company_id: '77', public_identifier: 'acme', company_name: 'Acme' }
  expect(told({ ...names, company_url: 'https://www.acme.com/about' })).toEqual({
    own: { domain: 'acme.com', host: 'acme.com' },
    facts: { company_id: '77', public_identifier: 'acme', name: 'Acme' },
  })
  expect(told({}).own).toBeNull()
  expect(companyIn(Buffer.from('{}'))).toEqual({
    own: null,
    facts: { company_id: null, public_identifier: null, name: null },
  })
})
