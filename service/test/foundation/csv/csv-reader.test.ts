import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CsvFault, CsvReader, readCsvRecords } from '@vitae/contract/csv'

const generous = { recordLength: 1_000_000, cells: 1_000_000 }

/** The records of a text in chunks of this size; null if it is not CSV. */
function records(text: string, endsWithReturn: boolean, size: number): string[][] | null {
  const reader = new CsvReader({ delimiter: ',', endsWithReturn }, generous)
  const all: string[][] = []
  try {
    for (let at = 0; at < text.length; at += size) all.push(...reader.push(text.slice(at, at + size)))
    const last = reader.end()
    return last ? [...all, last] : all
  } catch (error) {
    if (error instanceof CsvFault) return null
    throw error
  }
}

function recordsOfOthers(text: string, endsWithReturn: boolean): string[][] | null {
  const record_delimiter = endsWithReturn ? ['\r'] : ['\r\n', '\n']
  try {
    return parse(text, { delimiter: ',', record_delimiter, skip_empty_lines: true, relax_column_count: true })
  } catch {
    return null
  }
}

test('any text is parsed like the library csv-parse does, for any chunks', () => {
  const part = fc.constantFrom('a', '"', '""', ',', '\n', '\r', '\r\n', ' ', 'é')
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 14 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 5 }),
      (parts, isReturn, size) => {
        const text = parts.join('')
        expect(records(text, isReturn, size)).toEqual(recordsOfOthers(text, isReturn))
      },
    ),
    { numRuns: 3_000 },
  )
})

test('a refusal names the line and the column, in pieces of any size and behind empty lines and line ends in quotes', async () => {
  const refusal = async (text: string, size: number) => {
    async function* pieces() {
      for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
    }
    try {
      const { records } = await readCsvRecords(pieces(), { column: '', limits: { recordLength: 60, cells: 3 } })
      for await (const _record of records) continue
      return null
    } catch (error) {
      return (error as Error).message
    }
  }
  const head = '\n\nid,note\na,"b\nc"\n\n'
  for (const size of [1, 3, 1_000]) {
    for (const end of ['\n', '\r\n', '\r']) {
      const of = (text: string) => refusal((head + text).replaceAll('\n', end), size)
      expect(await of('d,x"y\n')).toBe('is not valid CSV: the quotes do not match in line 7, column 2')
      expect(await of('"d"x,y\n')).toBe('is not valid CSV: the quotes do not match in line 7, column 1')
      expect(await of('d,e\nf,"g\nh\n')).toBe('is not valid CSV: the quotes do not match in line 8, column 2')
      expect(await of('d,e\na,b,c,d\n')).toBe('has more than 3 columns in line 8')
      expect(await of(`"d\n${'x'.repeat(70)}"\n`)).toMatch(/^has a record that is longer than .*, in line 7$/)
    }
  }
})

test('a record that is too long or has too many cells is refused before its end arrives', () => {
  const limits = { recordLength: 100, cells: 10 }
  const form = { delimiter: ',', endsWithReturn: false }
  const push = (text: string) => [...new CsvReader(form, limits).push(text)]

  expect(() => push(','.repeat(11))).toThrow('has more than 10 columns')
  expect(() => push(`"${'x'.repeat(101)}`)).toThrow('has a record that is longer than')
  expect(push('a,b\nc\n')).toEqual([['a', 'b'], ['c']])
})
