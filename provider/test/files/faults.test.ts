import { expect, test } from 'vitest'
import fc from 'fast-check'
import { compileProviderFile, FileFault } from '../../src/files/index.ts'
import { gated, ProviderFault } from '../../src/index.ts'
import { mutatePayload, seededRandom } from '../../src/conformance/mutate-payload.ts'
import { acme, wren } from './example.ts'

const path = 'folder/acmedata.provider.yaml'

/** The one-line message about a file, or null if the file is valid. */
function lineAbout(text: string, file = path): string | null {
  try {
    compileProviderFile(file, text)
    return null
  } catch (error) {
    if (error instanceof FileFault) return error.message
    throw error
  }
}

test.each([
  ['an unknown function', 'summary: about', 'summary: about | no_such', /:47:22: there is no function "no_such"$/],
  ['an unknown target', 'headline: headline', 'head_line: headline', /:46:5: "head_line" is not a key here$/],
  ['a wrong argument', "null_if('UNK')", 'null_if(UNK)', /an argument must be in single quotation marks$/],
  ['too few arguments', "null_if('UNK')", 'null_if', /null_if takes 1 to 10 arguments, not 0$/],
  ['too many values', 'headline: headline', 'headline: headline, about', /this takes one value, not 2$/],
  ['no path', 'headline: headline', 'headline: a..b', /"a..b" is no path$/],
  ['a missing key', 'label: AcmeData\n', '', /:1:1: "label" is missing$/],
  ['a rule without an outcome', 'is: rate_limited', 'is: slow', /:21:24: this must be one of found, not_found/],
  ['a test without a path', 'path: code, equals: NO_MATCH, ', 'equals: NO_MATCH, ', /:17:5: a test needs a path$/],
  ['no verdict "found"', 'absent: false, is: found', 'absent: false, is: retry', /people has no verdict "found"$/],
  ['an unknown value', '"{url}"', '"{page}"', /the value \{page\} is not available here$/],
  ['an unused variable', ', x-region: "{region}"', '', /:11:3: the variable "region" is not used$/],
  ['a variable with a taken name', 'region: {', 'key: {', /:11:3: the name "key" is taken$/],
  [
    'no name',
    'first_name: [given, full | first_name]\n    last_name: [family, full | last_name]\n    ',
    '',
    /no first_name or last_name$/,
  ],
  [
    'another name than its file',
    'name: acmedata',
    'name: acme',
    /a file with this name is called acme\.provider\.yaml$/,
  ],
  ['a number as a key', 'label: AcmeData', '7: AcmeData', /:3:1: a key must be a text$/],
  ['two documents', 'label: AcmeData', 'label: AcmeData\n---\nx: 1', /one YAML document$/],
  ['broken YAML', 'label: AcmeData', 'label: "AcmeData', /acmedata\.provider\.yaml:\d+:\d+: /],
])('%s is a one-line fault with file, line and column', (_name, from, to, expected) => {
  expect(acme).toContain(from)

  const line = lineAbout(acme.replace(from, to))

  expect(line).toMatch(expected)
  expect(line).toMatch(/^folder\/acmedata\.provider\.yaml:\d+:\d+: [^\n]+$/)
})

test('a complete file has no fault', () => {
  expect(lineAbout(acme)).toBeNull()
})

const lineForm = /^\S+:\d+:\d+: [^\n\r]+$/

test('any text is a provider or a one-line fault, and is decided quickly', () => {
  const texts = fc.oneof(fc.string({ maxLength: 300 }), fc.string({ unit: 'binary', maxLength: 100 }), fc.json())
  fc.assert(
    fc.property(texts, (text) => {
      expect(lineAbout(text)).toMatch(lineForm)
    }),
    { numRuns: 150 },
  )
})

test('a file with any change is a provider or a one-line fault', () => {
  const pieces = [
    "'",
    '|',
    '{',
    '}',
    '[',
    ']',
    ':',
    '- ',
    '&a ',
    '*a',
    '!!js ',
    '\t',
    '\0',
    '"',
    '$',
    '$$.',
    '*.',
    'null',
    '-1',
    '\n',
    '? ',
  ]
  const change = fc.record({
    at: fc.nat(acme.length),
    cut: fc.nat(30),
    put: fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 8 })),
  })
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
      const text = changes.reduce((kept, { at, cut, put }) => kept.slice(0, at) + put + kept.slice(at + cut), acme)
      const line = lineAbout(text)
      if (line !== null) expect(line).toMatch(lineForm)
    }),
    { numRuns: 300 },
  )
})

test.each([
  ['brackets', '['.repeat(30_000)],
  ['braces', '{a: '.repeat(8_000)],
  ['dashes', '- '.repeat(15_000)],
  ['question marks', '? '.repeat(15_000)],
  ['indents', Array.from({ length: 200 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
  ['bytes', `# ${'x'.repeat(40_000)}`],
])('a file of too many %s is refused at once', (_name, text) => {
  const startedAt = performance.now()

  expect(lineAbout(text)).toMatch(lineForm)

  expect(performance.now() - startedAt).toBeLessThan(10_000)
})

test('400 mutated payloads pass the gate or are refused as invalid', () => {
  const provider = gated(compileProviderFile(path, acme).create({ url: 'https://api.acmedata.example', key: '' }))
  const random = seededRandom(54)
  const kinds = new Set<string>()
  for (let turn = 0; turn < 400; turn++) {
    const body = new TextEncoder().encode(JSON.stringify(mutatePayload(wren, random)))
    try {
      provider.project('people', body)
    } catch (error) {
      expect(error).toBeInstanceOf(ProviderFault)
      expect((error as ProviderFault).name).toBe('ProviderFault')
      kinds.add((error as ProviderFault).kind)
    }
  }

  expect([...kinds]).toEqual(['invalid'])
})
