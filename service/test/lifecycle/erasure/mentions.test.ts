import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseExactly } from '../../../src/records/body/exact-json.ts'
import { mayMention, mentionTest } from '../../../src/lifecycle/store/erasure/mentions/mentions.ts'
import { searchTermsOf } from '../../../src/lifecycle/store/erasure/mentions/search-terms.ts'
import { findMention, redact } from '../../../src/lifecycle/store/erasure/mentions/redact.ts'
import { mentionedIn } from '../../../src/lifecycle/store/erasure/mentions/scan-mentions.ts'
import { mentionSearch } from '../../../src/lifecycle/store/erasure/mentions/mention-search.ts'
import { printOfName, printsOf } from '../../../src/records/mentions/name-prints.ts'
import { residueSearch } from '../../../src/database/sqlite/reader/residue-search.ts'

const ada = searchTermsOf('people', [
  { type: 'slug', value: 'ada' },
  { type: 'slug', value: 'ada-lovelace-1' },
  { type: 'slug', value: 'zoë' },
  { type: 'urn', value: 'urn:li:member:123456' },
  { type: 'member', value: '123456' },
  { type: 'opaque', value: 'ACoAAabc' },
])
const mention = mentionTest(ada)

describe('mentions', () => {
  test.each([
    ['url', 'https://www.linkedin.com/in/ada', 'exact'],
    ['url', 'http://LINKEDIN.com/in/Ada/?trk=x', 'exact'],
    ['link', 'linkedin.com/in/zo%C3%AB/', 'exact'],
    ['text', 'ask linkedin.com/in/ada. She knows', 'prose'],
    ['public_identifier', 'ada', 'exact'],
    ['anything', 'ada-lovelace-1', 'exact'],
    ['entity', 'urn:li:member:123456', 'exact'],
    ['entity', 'urn:li:fsd_profile:ACoAAabc', 'exact'],
    ['member_id', 123456, 'exact'],
    ['member_id', '123456', 'exact'],
  ])('%s %s names the person', (key, value, expected) => {
    expect(mention(key, value)).toBe(expected)
  })

  test.each([
    ['skill', 'Ada'],
    ['text', 'Canada and the Ada language'],
    ['url', 'https://www.linkedin.com/in/adam'],
    ['url', 'https://www.linkedin.com/in/ada-2'],
    ['url', 'https://www.linkedin.com/company/ada'],
    ['entity', 'urn:li:member:1234567'],
    ['followers', 123456],
    ['entity', 'ACoAAabcd'],
    ['open', null],
    ['open', true],
  ])('%s %s does not', (key, value) => {
    expect(mention(key, value)).toBeNull()
  })

  test('the quick search misses nothing that the exact one finds, in any spelling', () => {
    const look = mayMention(ada)
    const spelled = [
      '{"u":"/in/ZOË"}',
      '{"u":"/in/zo\\\\u00eb"}'.replace('\\\\', '\\'),
      '{"u":"/in/zo%c3%ab"}',
      '{"x":"ADA-Lovelace-1"}',
    ]
    for (const text of spelled) {
      expect(findMention(JSON.parse(text), mention), text).not.toBeNull()
      expect(look(Buffer.from(text)), text).toBe(true)
    }
    expect(look(Buffer.from('{"x":"someone else"}'))).toBe(false)
  })
})

describe('prints', () => {
  const names = ['ada', 'ada-lovelace-1', 'zoë-smith-9', 'williamson', 'ada.byron-2', '王小明-12345678', '2021-quill']
  const ids = [
    'urn:li:member:123456',
    'urn:vitae:person:0f1e2d3c4b5a',
    'ACoAAB1c2D-e',
    'AbCdEfGhIjKlMnOpQr',
    '123456',
    '77',
  ]
  const aliases = [
    ...names.map((value) => ({ type: 'slug', value })),
    ...ids.map((value) => ({ type: 'vendor', value })),
    { type: 'member', value: '1441' },
  ]
  /** Every way in which others' data may name someone, and some that do not. */
  const around = [
    (name: string) => ({ public_identifier: name }),
    (name: string) => ({ deep: [{ link: `https://www.linkedin.com/in/${name}/?trk=x` }] }),
    (name: string) => ({ link: `https://www.linkedin.com/in/${encodeURIComponent(name)}` }),
    (name: string) => ({ link: encodeURIComponent(`https://www.linkedin.com/in/${name}`) }),
    (name: string) => ({ text: `met\n${name}\tand "${name}" (${name}), 100%${name} of ${name}%` }),
    (name: string) => ({ text: `ask linkedin.com/in/${name}. She knows` }),
    (name: string) => ({ [name]: { is: 'a key' } }),
    (name: string) => ({ entity: `urn:li:fsd_profile:${name}` }),
    (name: string) => ({ entity: `urn:li:x:${name}abc` }),
    (name: string) => ({ member_id: Number(name) || name }),
    (name: string) => ({ text: `«${name}»、/in/${name}。` }),
    (name: string) => ({ text: `x${name}x` }),
  ]
  const writings = [
    (text: string) => text,
    (text: string) => text.toUpperCase().replaceAll(/\\[A-Z]/g, (escape) => escape.toLowerCase()),
    (text: string) => text.replaceAll('/', '\\/'),
    (text: string) => text.normalize('NFD'),
    (text: string) =>
      text.replaceAll(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  ]

  test('the fingerprints of a body never rule out a mention that the exact test finds', () => {
    let mentions = 0
    for (const alias of aliases) {
      const terms = searchTermsOf('people', [alias])
      const search = mentionSearch(terms)
      const isIn = mentionedIn(terms)
      for (const [index, place] of around.entries())
        for (const [way, write] of writings.entries()) {
          const body = Buffer.from(write(JSON.stringify({ first: 'Bea', ...place(alias.value) })))
          if (!isIn(body)) continue
          mentions += 1
          expect(search.mayBeIn(printsOf([body])), `${alias.value} in place ${index}, way ${way}`).toBe(true)
        }
    }
    expect(mentions).toBeGreaterThan(200)
  })

  test('searching for many at once finds the same as searching for each', () => {
    const others = Array.from({ length: 50 }, (_, index) => ({ type: 'slug', value: `other-${index}` }))
    const search = mentionSearch(searchTermsOf('people', [...aliases, ...others]))
    for (const alias of aliases) {
      const terms = searchTermsOf('people', [alias])
      for (const place of around) {
        const body = Buffer.from(JSON.stringify(place(alias.value)))
        if (!mentionedIn(terms)(body)) continue
        expect(search.termsIn('people', body)).toEqual(expect.arrayContaining(terms))
      }
    }
  })

  test('most names have a fingerprint; names that may occur in any word have none, and require reading', () => {
    const printed = ['ada', 'ada-lovelace-1', 'zoë-smith-9', 'urn:li:member:123456', '王小明-12345678']
    for (const name of printed) expect(printOfName(name, false), name).not.toBeNull()
    for (const name of ['zoë', '王小明', 'ada_byron', 'ab', '2021-03-01'])
      expect(printOfName(name, false), name).toBeNull()
    expect(printOfName('ada', true)).toBeNull()
    expect(mentionSearch(searchTermsOf('people', [{ type: 'slug', value: 'zoë' }])).mayBeIn(printsOf([]))).toBe(true)
    const other = printsOf([Buffer.from('{"public_identifier":"grace-hopper-7"}')])
    expect(mentionSearch(ada.slice(1, 2)).mayBeIn(other)).toBe(false)
  })

  test('a body with too many names is always read', () => {
    const body = Buffer.from(JSON.stringify(Array.from({ length: 5_000 }, (_, index) => `name-${index}`)))
    expect(printsOf([body])).toHaveLength(1)
    expect(mentionSearch(ada.slice(1, 2)).mayBeIn(printsOf([body]))).toBe(true)
  })
})

describe('redaction', () => {
  const pad = 'x'.repeat(500)

  test('only the smallest list entry that names the person is removed', () => {
    const data = {
      name: 'Bea',
      pad,
      similar: [{ who: { slug: 'ada', pictures: ['a', 'b'] }, title: 'Countess' }, { who: { slug: 'cleo' } }],
    }
    expect(redact(data, mention, { objects: true })).toBe(1)
    expect(data).toEqual({ name: 'Bea', pad, similar: [{ who: { slug: 'cleo' } }] })
  })

  test('an answer that is one entry of a list keeps its subject', () => {
    const data = [
      { name: 'Bea', pad, mentor: { url: 'https://linkedin.com/in/ada', name: 'Ada' }, best: 'ada-lovelace-1' },
    ]
    redact(data, mention, { objects: true })
    expect(data).toEqual([{ name: 'Bea', pad, mentor: null, best: null }])
  })

  test('an entry that only mentions the person loses the text, not the entry', () => {
    const data = { pad, experience: [{ title: 'Editor', description: 'With linkedin.com/in/ada on engines' }] }
    redact(data, mention, { objects: true })
    expect(data.experience).toEqual([{ title: 'Editor', description: null }])
  })

  test('a field whose name is the person is removed', () => {
    const data = { pad, people: { 'ada-lovelace-1': { name: 'Ada' }, cleo: { name: 'Cleo' } } }
    redact(data, mention, { objects: true })
    expect(data.people).toEqual({ cleo: { name: 'Cleo' } })
  })

  test('no mention is left in any data, and data without one is unchanged', () => {
    const leaf = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.constant(null),
      fc.constantFrom('ada-lovelace-1', 'https://linkedin.com/in/ada', 'ACoAAabc'),
    )
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(fc.constantFrom('url', 'id', 'name', 'list'), tie('tree')),
      ),
    }))
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('a', 'b', 'url'), tree), (data) => {
        const before = JSON.stringify(data)
        const found = findMention(data, mention) !== null
        redact(data, mention, { objects: true })
        expect(findMention(data, mention)).toBeNull()
        if (!found) expect(JSON.stringify(data)).toBe(before)
      }),
    )
  })

  test('numbers of any length survive parsing and writing', () => {
    const text = '{"id":12345678901234567890,"amount":5000000000,"ratio":0.1000,"big":1e400}'
    expect(JSON.stringify(parseExactly(text))).toBe(text)
  })
})

describe('the search for residue', () => {
  test('finds any stretch of two pieces of a deleted blob, and nothing in other bytes', () => {
    const bytes = fc.uint8Array({ minLength: 60, maxLength: 300 })
    fc.assert(
      fc.property(bytes, bytes, fc.nat(), (blob, other, where) => {
        fc.pre(new Set(blob).size > 30)
        const from = 12 + (where % (blob.length - 35))
        const found = residueSearch({ blobs: [blob], texts: [] })
        const around = Uint8Array.from([...other, ...blob.subarray(from, from + 23), ...other])
        expect(found(around)).toBe(true)
      }),
    )
    const search = residueSearch({
      blobs: [Uint8Array.from({ length: 100 }, (_, i) => i)],
      texts: [Buffer.from('peopleslugada')],
    })
    expect(search(Buffer.from('xxpeopleslugadayy'))).toBe(true)
    expect(search(Buffer.from('xxpeopleslugad'))).toBe(false)
    expect(search(Uint8Array.from({ length: 5_000 }, (_, i) => (i * 7) % 256))).toBe(false)
  })
})

test('a text full of URNs is searched for an id at once', () => {
  const mentions = mentionTest([{ kind: 'people', form: 'id', value: '4711' }])
  const before = process.cpuUsage()

  const found = mentions('note', 'urn:'.repeat(20_000))

  const { user, system } = process.cpuUsage(before)
  expect(found).toBeNull()
  expect(mentions('note', 'see urn:li:member:4711')).toBe('prose')
  expect((user + system) / 1_000_000).toBeLessThan(1)
})
