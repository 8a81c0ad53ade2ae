import { isAscii, isUtf8 } from 'node:buffer'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { unlooked } from '../../src/enrich/looked.ts'
import { csvFormat } from '../../src/enrich/output-format.ts'
import { openInput } from '../../src/enrich/input/read-rows.ts'
import { decode, detectEncoding } from '../../src/enrich/input/read-text.ts'
import { Folder } from './enrich-fixture.ts'

const windows1252 = new TextDecoder('windows-1252').decode(Uint8Array.from({ length: 256 }, (_, byte) => byte))
const mark = '\uFEFF'

const encoders: Record<string, (text: string) => Buffer> = {
  'utf-8': (text) => Buffer.from(text),
  'utf-8 with a mark': (text) => Buffer.from(mark + text),
  'utf-16le with a mark': (text) => Buffer.from(mark + text, 'utf16le'),
  'utf-16be with a mark': (text) => Buffer.from(mark + text, 'utf16le').swap16(),
  'utf-16le': (text) => Buffer.from(text, 'utf16le'),
  'utf-16be': (text) => Buffer.from(text, 'utf16le').swap16(),
  'windows-1252': (text) => Buffer.from([...text].map((letter) => windows1252.indexOf(letter))),
}

const anyLetter = fc.string({ unit: 'grapheme', maxLength: 8 }).filter((text) => !/[\0\uFEFF]/.test(text))
// From the space character on, because a zero would indicate UTF-16.
const westernLetter = fc.string({ unit: fc.constantFrom(...windows1252.slice(32), '\n', '\r\n'), maxLength: 8 })

function cellsOf(encoding: string) {
  return /mark|^utf-8$/.test(encoding) ? anyLetter : westernLetter
}

/** A table as programs write it: rows may be shorter or longer than the header, names may repeat. */
const table = fc.constantFrom(...Object.keys(encoders)).chain((encoding) =>
  fc.record({
    encoding: fc.constant(encoding),
    delimiter: fc.constantFrom(',', ';', '\t'),
    lineEnd: fc.constantFrom('\n', '\r\n'),
    header: fc.array(cellsOf(encoding), { minLength: 1, maxLength: 4 }),
    rows: fc.array(fc.array(cellsOf(encoding), { minLength: 1, maxLength: 7 }), { maxLength: 6 }),
  }),
)

function csvText(records: readonly (readonly string[])[], delimiter: string, lineEnd: string): string {
  const quoted = (cell: string) => (/^$|[",;\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
  return records.map((record) => `${record.map(quoted).join(delimiter)}${lineEnd}`).join('')
}

test('for any encoding, delimiter and table shape: every input cell is in the output, in its place', async () => {
  const file = join(new Folder().path, 'in.csv')
  await fc.assert(
    fc.asyncProperty(table, async ({ encoding, delimiter, lineEnd, header, rows }) => {
      const titles = [...header.filter((title) => title !== 'id'), 'id']
      const bytes = encoders[encoding]?.(csvText([titles, ...rows], delimiter, lineEnd)) ?? Buffer.alloc(0)
      fc.pre(encoding !== 'windows-1252' || isAscii(bytes) || !isUtf8(bytes))
      writeFileSync(file, bytes)

      const input = await openInput(file, { columns: ['id'], format: 'csv', encoding: undefined, delimiter: undefined })
      const format = csvFormat(input.columns, [])
      let output = format.header
      for await (const row of input.rows()) output += format.line(row, unlooked('not_found', null))

      const [writtenTitles = [], ...written] = parse(output) as string[][]
      const width = Math.max(titles.length, ...rows.map((row) => row.length))
      expect(writtenTitles.slice(0, titles.length)).toEqual(titles)
      expect(writtenTitles[width]).toBe('status')
      const padded = rows.map((row) => [...row, ...Array<string>(width - row.length).fill('')])
      expect(written.map((row) => row.slice(0, width))).toEqual(padded)
      expect(input.totalRows).toBe(rows.length)
    }),
    { numRuns: 150 },
  )
})

test('an input is decoded the same for any chunks, and bytes that its encoding lacks are an error', async () => {
  const cuts = fc.array(fc.nat(60), { maxLength: 5 })
  const text = fc.constantFrom('id\nZoë;Łódź\n', 'id,naïve\nx\n', 'id\nplain\n')
  const encoding = fc.constantFrom(...Object.keys(encoders).filter((name) => name !== 'windows-1252'))
  await fc.assert(
    fc.asyncProperty(text, encoding, cuts, async (given, name, places) => {
      const bytes = encoders[name]?.(given) ?? Buffer.alloc(0)
      expect(await decoded(bytes, places)).toBe(given)
    }),
  )
  const western = Buffer.from('id\nZo\xEB\nna\xEFve\n', 'latin1')
  expect(await decoded(western, [3])).toBe('id\nZoë\nnaïve\n')
  await expect(decoded(western, [8], 'utf-8')).rejects.toThrow('--encoding')
})

async function decoded(bytes: Buffer, places: readonly number[], given?: string): Promise<string> {
  const ends = [...places.map((place) => Math.min(place, bytes.length)), bytes.length].sort((a, b) => a - b)
  async function* pieces() {
    let from = 0
    for (const end of ends) {
      if (end > from) yield bytes.subarray(from, end)
      from = Math.max(from, end)
    }
  }
  let text = ''
  for await (const piece of decode(pieces(), await detectEncoding(pieces, given))) text += piece
  return text
}
