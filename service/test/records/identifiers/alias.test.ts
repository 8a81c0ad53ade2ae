import fc from 'fast-check'
import { expect, test } from 'vitest'
import { derivedCompanyId } from '../../../src/foundation/identifier.ts'
import {
  aliasesOf,
  aliasText,
  foldAlias,
  isDerivedKey,
  isDurable,
  keyAlias,
  readAliasText,
} from '../../../src/records/identifiers/alias.ts'
import { identifierKey, readIdentifierKey } from '../../../src/foundation/identifier.ts'

const slug = (value: string) => ({ type: 'slug', value })

test('a durable key is an alias of its kind', () => {
  expect(keyAlias('people', 'urn:li:member:7')).toEqual({ type: 'urn', value: 'urn:li:member:7' })
  expect(keyAlias('companies', '7')).toEqual({ type: 'id', value: '7' })
})

test('slugs are folded like identifiers, and every other alias keeps its case', () => {
  expect(foldAlias(slug('JOSE\u0301'))).toEqual(slug('josé'))
  // The lower case of the first is longer, and joins with the following text only after a second normalisation.
  expect(foldAlias(slug('H\u0331'))).toEqual(slug('\u1E96'))
  expect(foldAlias({ type: 'opaque', value: 'ACoAAB\u0301' })).toEqual({ type: 'opaque', value: 'ACoAAB\u0301' })
})

test('an identity has each name once, in a form that PostgreSQL can store, and the requested name', () => {
  const identity = { key: 'urn:li:member:7', derived: false, aliases: [slug('Ada'), slug('ada'), slug('a\0da')] }
  const key = { type: 'urn', value: identity.key }
  expect(aliasesOf('people', identity, null)).toEqual([key, slug('ada')])
  const asked = { ...slug('ADA-2'), kind: 'people' }
  expect(aliasesOf('people', identity, asked)).toEqual([key, slug('ada'), slug('ada-2')])
})

test('a company is also found by the ids derived from its pages', () => {
  const identity = { key: '7', derived: false, aliases: [slug('Acme')] }
  const id = (value: string) => ({ type: 'id', value })
  expect(aliasesOf('companies', identity, slug('acme-old'))).toEqual([
    id('7'),
    slug('acme'),
    slug('acme-old'),
    id(derivedCompanyId('acme')),
    id(derivedCompanyId('acme-old')),
  ])
})

test('a written alias is parsed as that alias, and anything else is none', () => {
  const type = fc.string({ minLength: 1 }).filter((text) => !text.includes(':'))
  fc.assert(
    fc.property(type, fc.string({ unit: 'binary' }), (name, value) => {
      expect(readAliasText(aliasText({ type: name, value }))).toEqual({ type: name, value })
    }),
  )
  expect(aliasText({ type: 'urn', value: 'urn:li:member:7' })).toBe('urn:urn:li:member:7')
  expect(readAliasText('slug:a\nb')).toEqual(slug('a\nb'))
  for (const text of [null, '', 'ada', ':ada']) expect(readAliasText(text)).toBeNull()
})

test('a derived key is recognised by its type and its beginning, and does not identify one entity forever', () => {
  const person = 'urn:vitae:person:00ff00ff00ff00ff'
  const company = 'vitae-00ff00ff00ff00ff'
  const types = ['urn', 'id', 'slug']
  const derived = (value: string) => types.filter((type) => isDerivedKey({ type, value }))
  expect([derived(person), derived(company)]).toEqual([['urn'], ['id']])
  expect(['urn:li:member:7', '7', `x-${person}`, `x-${company}`].flatMap(derived)).toEqual([])
  expect([isDurable({ type: 'urn', value: person }), isDurable({ type: 'id', value: company })]).toEqual([false, false])
})

test('every alias except a slug identifies one entity forever', () => {
  expect(['slug', 'id', 'urn', 'opaque', 'member'].filter((type) => isDurable({ type, value: '1' }))).toEqual([
    'id',
    'urn',
    'opaque',
    'member',
  ])
})

test('a name is parsed from its key, even if its value has slashes', () => {
  for (const value of ['ada', 'urn:example:a/b//c', '']) {
    const name = { kind: 'people' as const, type: 'urn', value }
    expect(readIdentifierKey(identifierKey(name))).toEqual(name)
  }
})
