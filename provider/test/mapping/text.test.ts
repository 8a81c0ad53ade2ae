import fc from 'fast-check'
import { expect, test } from 'vitest'
import { imageUrl } from '../../src/mapping/platform-url.ts'
import { splitName } from '../../src/shared/person-parts.ts'
import { workplaceType } from '../../src/mapping/experience.ts'
import { companyType } from '../../src/mapping/company-type.ts'
import { flag, list, normalised, object, plainText, text, texts } from '../../src/mapping/text.ts'

test('a text is trimmed, and an empty text is null', () => {
  expect([' a ', 'a\0b', 7, 0].map(text)).toEqual(['a', 'ab', '7', '0'])
  expect(['', '  ', null, undefined, {}, [], true, Number.NaN].map(text)).toEqual(Array(8).fill(null))
})

test('every text can be stored: well-formed, without NUL, never empty', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.anything()), (value) => {
      for (const read of [text, plainText]) {
        const found = read(value)
        if (found === null) continue
        expect(found).not.toBe('')
        expect(found.isWellFormed()).toBe(true)
        expect(found).not.toContain('\0')
      }
    }),
    { numRuns: 300 },
  )
})

test.each(['-', '--', ' — ', '- -', '\u2013'])('a text of dashes is null: %j', (value) => {
  expect(text(value)).toBeNull()
  expect(plainText(value)).toBeNull()
})

test.each([
  ['&Eacute;cole S&atilde;o &Ouml;l &hearts; &frac12;', 'École São Öl ♥ ½'],
  ['?a=1&copy=2 AT&T', '?a=1&copy=2 AT&T'],
  ['a<br>b<br/>c<BR />d', 'a\nb\nc\nd'],
  ['<p>one</p><p>two</p>', 'one\ntwo'],
  ['It&#39;s &amp; &quot;x&quot; &#x2014; &nbsp;y', 'It\'s & "x" —  y'],
  ['a <b>bold</b> <a href="x">link</a>', 'a bold link'],
  ['kept <!---->', 'kept'],
  ['a<!-- x --><style>p{}</style>b<!-- y -->c<!-- open', 'abc<!-- open'],
  ['<script>alert(1)</script>safe', 'safe'],
  ['a\r\rb\r\nc', 'a\n\nb\nc'],
  ['&amp;#39;', '&#39;'],
  ['&lt;b&gt;', '<b>'],
  ['Vec<T> <3 a < b', 'Vec<T> <3 a < b'],
  ['R&D &unknown; &#0; &#9999999;', 'R&D &unknown; \uFFFD \uFFFD'],
])('the HTML %j becomes its visible text', (html, seen) => {
  expect(plainText(html)).toBe(seen)
})

test.each(['<!--', '<script>', '<style>a', '<br', '&#', '<a '])(
  'hostile text is handled in linear time: %j repeated',
  (part) => {
    const started = performance.now()
    plainText(part.repeat(100_000))
    expect(performance.now() - started).toBeLessThan(10_000)
  },
)

test('text without markup is unchanged', () => {
  const plain = fc.string({ unit: fc.constantFrom(...'abc é😀-.,:;\n\t123') })
  fc.assert(
    fc.property(plain, (value) => {
      expect(plainText(value)).toBe(text(value))
    }),
  )
})

test('escaping and unescaping are inverse', () => {
  const escape = (value: string) =>
    value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
  const anyText = fc.string({ unit: 'grapheme' }).filter((value) => !value.includes('\r'))
  fc.assert(
    fc.property(anyText, (value) => {
      expect(plainText(escape(value))).toBe(text(value))
    }),
  )
})

test('lists, objects and flags never throw, for any value', () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      expect(Array.isArray(list(value))).toBe(true)
      expect(typeof object(value)).toBe('object')
      expect([true, false, null]).toContain(flag(value))
      expect(texts(value).every((one) => one !== '')).toBe(true)
    }),
  )
  expect(texts(['b', ' b ', '', null, 'a'])).toEqual(['b', 'a'])
  expect([1, 'true', true, 0, 'false', false, null, 'yes'].map(flag)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
    null,
    null,
  ])
})

test('small vocabularies', () => {
  expect(['On-site', 'Hybrid', 'remote', 'office', null].map(workplaceType)).toEqual([
    'onsite',
    'hybrid',
    'remote',
    null,
    null,
  ])
  expect(splitName('  Ada  van Dam ')).toEqual({ first: 'Ada', last: 'van Dam' })
  expect(splitName('Ada')).toEqual({ first: 'Ada', last: null })
  expect(splitName(null)).toEqual({ first: null, last: null })
  expect(imageUrl({ url: 'https://a.example/x.png' })).toBe('https://a.example/x.png')
  expect(['https://static.licdn.com/grey', 'data:image/png;base64,AA', '', {}].map(imageUrl)).toEqual([
    null,
    null,
    null,
    null,
  ])
})

test.each([
  ['Public Company', 'PUBLIC_COMPANY', 'Public Company'],
  ['PUBLIC_COMPANY', 'PUBLIC_COMPANY', 'Public Company'],
  ['private', 'PRIVATELY_HELD', 'Privately Held'],
  ['EDUCATIONAL_INSTITUTION', 'EDUCATIONAL', 'Educational'],
  ['Self-Owned', 'SELF_OWNED', 'Self-Owned'],
  ['Nonprofit', 'NON_PROFIT', 'Nonprofit'],
  ['Guild', null, 'Guild'],
])('the company type %j has the code %j', (given, code, name) => {
  expect(companyType(given)).toEqual({ type_code: code, type_name: name })
})

test('a text with endless combining marks is folded at once, and marks of real letters stay', () => {
  const before = process.cpuUsage()

  const folded = normalised(`Ada${'\u0301\u0327'.repeat(50_000)}`, 'NFC')

  const { user, system } = process.cpuUsage(before)
  expect(Array.from(folded).length).toBeLessThan(40)
  expect((user + system) / 1_000_000).toBeLessThan(2)
  expect(normalised('Zoe\u0308 Nguye\u0302\u0303n', 'NFC')).toBe('Zoë Nguyễn')
})
