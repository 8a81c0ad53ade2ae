import { expect, test } from 'vitest'
import {
  lineName,
  readPriceLists,
  unreachedLines,
  type LineMatch,
  type PriceLine,
} from '../../../src/credits/prices/price-book.ts'

const right = {
  lines: [
    { kind: 'people', by: 'watch', changed: false, credits: 0 },
    { source: 'stale_fallback', thin: true, bypass: false, project: 'acme', environment: 'staging', credits: 2 },
    { credits: 1 },
  ],
  parts: [{ part: 'contact', credits: 3 }],
}

test('a valid book is parsed as written, and parts are optional', () => {
  expect(readPriceLists({ valid_from: '2026-12-01T00:00:00Z', ...right })).toEqual({ lists: right })
  expect(readPriceLists({ lines: [{ credits: 0 }] })).toEqual({ lists: { lines: [{ credits: 0 }], parts: [] } })
})

test('an invalid book is refused as a whole, and each problem names its line', () => {
  const wrong: [unknown, string[]][] = [
    [null, ['lines']],
    [[], ['lines']],
    [{ lines: [] }, ['lines']],
    [{ lines: Array.from({ length: 1_001 }, () => ({ credits: 1 })) }, ['lines']],
    [{ lines: [{ kind: 'people', credits: 1 }] }, ['line 1, kind']],
    [{ lines: [{ credits: 1.5 }, { credits: 1 }] }, ['line 1, credits']],
    [{ lines: [{ credits: -1 }, { credits: '1' }, {}] }, ['line 1, credits', 'line 2, credits', 'line 3, credits']],
    [{ lines: [{ credits: 1_000_001 }] }, ['line 1, credits']],
    [
      { lines: [{ kind: 'cats', by: 1, source: 'cache', credits: 1 }, { credits: 1 }] },
      ['line 1, kind', 'line 1, by', 'line 1, source'],
    ],
    [{ lines: [{ thin: 'true', credits: 1 }, { credits: 1 }] }, ['line 1, thin']],
    [
      { lines: [{ project: '', toString: 1, credits: 1 }, 7, { credits: 1 }] },
      ['line 1, project', 'line 1, toString', 'line 2'],
    ],
    [{ lines: [{ credits: 1 }], parts: [{ part: 'email', credits: 1 }] }, ['part 1, part']],
    [
      {
        lines: [{ credits: 1 }],
        parts: [
          { part: 'contact', credits: 1 },
          { part: 'contact', credits: 2 },
        ],
      },
      ['part 2, part'],
    ],
    [
      { lines: [{ credits: 1 }], parts: [{ part: 'contact', credits: 0.1, kind: 'people' }] },
      ['part 1, credits', 'part 1, kind'],
    ],
    [{ lines: [{ credits: 1 }], parts: {} }, ['parts']],
    [{ lines: [{ credits: 1 }], line: [] }, ['line']],
  ]
  for (const [document, parameters] of wrong) {
    const read = readPriceLists(document)
    expect('problems' in read && read.problems.listed.map(({ parameter }) => parameter)).toEqual(parameters)
  }
})

test('each problem states what is expected', () => {
  const whole = 'must be a whole number of credits from 0 to 1000000'
  const lineWith = (line: object) => ({ lines: [line, { credits: 1 }] })
  const part = (...parts: object[]) => ({ lines: [{ credits: 1 }], parts })
  const contact = { part: 'contact', credits: 1 }
  const wrong: [object, string[]][] = [
    [{ lines: [] }, ['must be a list of 1 to 1000 lines']],
    [{ lines: [{ credits: 1 }], line: [] }, ['is not known']],
    [{ lines: [{ credits: 1 }], parts: 1 }, ['must be a list of at most 3 parts']],
    [part(contact, contact, contact, contact), ['must be a list of at most 3 parts']],
    [lineWith([]), ['must be an object']],
    [lineWith({ kind: 'cats', credits: 1 }), ['must be one of people, companies, resolve']],
    [lineWith({ thin: 1, credits: 1 }), ['must be true or false']],
    [lineWith({ project: 'x'.repeat(201), credits: 1 }), ['must be a name']],
    [lineWith({ project: ['acme'], credits: 1 }), ['must be a name']],
    [lineWith({ cats: 1, credits: 1 }), ['is not known']],
    [lineWith({ credits: 0.5 }), [whole]],
    [{ lines: [{ thin: true, credits: 1 }] }, ['must be removed: the last line must match every call']],
    [part({ part: 'email', credits: 1 }), ['must be one of network, verifications, contact']],
    [part(contact, contact), ['appears twice']],
    [part({ ...contact, cats: 1 }), ['is not known']],
  ]
  for (const [document, details] of wrong) {
    const read = readPriceLists(document)
    expect('problems' in read && read.problems.listed.map(({ detail }) => detail)).toEqual(details)
  }
})

test('the largest allowed book is accepted, and an unknown name is shown shortened', () => {
  const lines = Array.from({ length: 1_000 }, () => ({ credits: 1_000_000 }))
  const named = [{ project: 'x'.repeat(200), credits: 1 }, ...lines.slice(1)]
  const parts = ['contact', 'network', 'verifications'].map((part) => ({ part, credits: 1_000_000 }))
  expect(readPriceLists({ lines: named, parts })).toEqual({ lists: { lines: named, parts } })
  const unknown = readPriceLists({ lines, ['x'.repeat(41)]: 1 })
  expect('problems' in unknown && unknown.problems.listed).toEqual([
    { parameter: 'x'.repeat(40), detail: 'is not known' },
  ])
})

test('a line that an earlier line covers is unreachable, and is reported', () => {
  const lines = [
    { kind: 'people', credits: 1 },
    { kind: 'people', thin: true, credits: 0 },
    { thin: true, credits: 2 },
    { credits: 3 },
  ] satisfies PriceLine[]
  expect(unreachedLines({ lines, parts: [] })).toEqual([{ line: 2, behind: 1 }])
  expect(lines.map((line: LineMatch) => lineName(line))).toEqual(['people', 'people thin', 'thin', 'any'])
  expect(lineName({ thin: false, project: 'acme' })).toBe('not thin acme')
})
