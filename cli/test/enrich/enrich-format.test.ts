import fc from 'fast-check'
import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { valueAt } from '@vitae/service/record-fields'
import { csvFormat, ndjsonFormat } from '../../src/enrich/output-format.ts'
import { unlooked, type Looked } from '../../src/enrich/looked.ts'
import type { Column, InputRow } from '../../src/enrich/input/input-row.ts'

const looked: Looked = unlooked('failed', 'why, "quoted"\nand broken')

function rowOf(fields: Record<string, unknown>): InputRow {
  return { number: 1, fields: new Map(Object.entries(fields)), problem: null }
}

function columnsOf(names: readonly string[]): Column[] {
  return names.map((name) => ({ name, title: name }))
}

/** A line as another program parses it: header and values. */
function readBack(fields: Record<string, unknown>, record: unknown = null, paths: string[] = []): string[][] {
  const format = csvFormat(columnsOf(Object.keys(fields)), paths)
  const given = { ...looked, record } as Looked
  return parse(format.header + format.line(rowOf(fields), given), { relax_column_count: false })
}

const column = fc.stringMatching(/^[A-Za-z][\w ,"'\n]{0,12}$/)
const columns = fc.uniqueArray(column, { minLength: 1, maxLength: 6 })
const text = fc.string({ unit: 'binary', maxLength: 30 })

test('any input text survives in the CSV output, including formulas', () => {
  const formula = fc.tuple(fc.constantFrom('=', '+', '-', '@', '\t', '\r'), text).map((parts) => parts.join(''))
  const texts = fc.array(fc.oneof(text, formula), { minLength: 6, maxLength: 6 })
  fc.assert(
    fc.property(columns, texts, (names, given) => {
      const fields = Object.fromEntries(names.map((name, index) => [name, given[index]]))
      const [header, values] = readBack(fields)
      const facts = ['status', 'error', 'source', 'fetched_at', 'credits']
      expect(header).toEqual([...names.map((name) => (facts.includes(name) ? `input_${name}` : name)), ...facts])
      expect(values).toEqual([...names.map((name) => fields[name]), 'failed', looked.error, '', '', '0'])
    }),
  )
})

test('fetched text that a spreadsheet would run gets a leading quote', () => {
  const dangerous = fc
    .tuple(fc.constantFrom('=', '+', '-', '@', '\t', '\r'), fc.string({ unit: 'binary', maxLength: 20 }))
    .map(([first, rest]) => `${first}a${rest}`)
  fc.assert(
    fc.property(dangerous, (formula) => {
      const [, values] = readBack({ name: 'x' }, { headline: formula }, ['headline'])
      expect(values?.at(-1)).toBe(`'${formula}`)
    }),
  )
})

test.each(['-5', '+1 (555) 010-0199', '-0.25', '-'])('%j is a number or empty, and stays unchanged', (number) => {
  expect(readBack({ id: 'x' }, { phone: number }, ['phone'])[1]?.at(-1)).toBe(number)
})

test('a list or an object is JSON in its cell', () => {
  fc.assert(
    fc.property(fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue())), (value) => {
      const [, values] = readBack({ id: 'x' }, { part: value }, ['part'])
      expect(values?.at(-1)).toBe(JSON.stringify(value))
    }),
  )
})

test('a row with missing columns keeps the others in place', () => {
  const format = csvFormat(columnsOf(['a', 'b', 'c']), [])

  const [cells] = parse(format.line(rowOf({ a: '1', c: '3' }), looked))

  expect(cells).toEqual(['1', '', '3', 'failed', looked.error, '', '', '0'])
})

test('an NDJSON line has the input, the facts and the chosen fields, null if absent', () => {
  const record = { first_name: 'Ada', 'experience.0.company_name': 'Unreal Bridges' }
  const given = { ...unlooked('failed', null), status: 'found', credits: 1, record } as unknown as Looked
  const format = ndjsonFormat(['first_name', 'experience.0.company_name', 'experience.1.company_name'])

  expect(JSON.parse(format.line(rowOf({ id: 7 }), given))).toEqual({
    input: { id: 7 },
    status: 'found',
    error: null,
    source: null,
    fetched_at: null,
    credits: 1,
    record: { first_name: 'Ada', 'experience.0.company_name': 'Unreal Bridges', 'experience.1.company_name': null },
  })
})

const step = fc.stringMatching(/^[a-z_0-9]{1,8}$/)

test('valueAt finds what was put at a path, through objects and lists', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(step, fc.nat(3)), { minLength: 1, maxLength: 5 }), fc.jsonValue(), (path, value) => {
      const root = path.reduceRight<unknown>((inner, at) => {
        if (typeof at === 'string') return { [at]: inner }
        const list: unknown[] = [null, null, null, null]
        list[at] = inner
        return list
      }, value)
      expect(valueAt(root, path.join('.'))).toEqual(value)
    }),
  )
})

test('valueAt never throws, and never finds inherited properties', () => {
  fc.assert(fc.property(fc.anything(), fc.string(), (value, path) => void valueAt(value, path)))
  for (const path of ['constructor', '__proto__', 'toString', 'a.constructor', 'list.map'])
    expect(valueAt({ a: {}, list: [] }, path)).toBeUndefined()
})
