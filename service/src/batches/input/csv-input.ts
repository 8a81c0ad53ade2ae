import { CsvFault, readCsvRecords } from '@vitae/contract/csv'
import { Failure } from '../../foundation/failure.ts'
import { expectedNames, meansExpectation, unknownExpectation } from '../../lookup/asked/expectations.ts'
import { carried, type InputRow, type Mapping, matchNamesOf, questionOf, usable } from './input-row.ts'
import { ColumnNames, columnsAtMost, recordLengthAtMost, unreadable } from './limits.ts'

/** Columns with these names are never ids, even if there is no other column. */
const neverIds: ReadonlySet<string> = new Set(['email', 'phone', 'domain'])

/** The columns that we use. */
interface Places {
  id: number | null
  /** The names of match input and expectations, and their positions. */
  named: ReadonlyMap<string, number>
  matched: readonly string[]
}

/** Reads a CSV with a header, row by row. Its columns are added to `header` and returned with the results. */
export async function* readCsv(
  text: AsyncIterable<string>,
  mapping: Mapping,
  header: string[],
): AsyncGenerator<InputRow> {
  try {
    const column = mapping.column ?? [...mapping.map.values()][0] ?? ''
    const limits = { recordLength: recordLengthAtMost, cells: columnsAtMost }
    const { records } = await readCsvRecords(text, { column, limits })
    const names = new ColumnNames(header)
    let places: Places | null = null
    for await (const record of records) {
      if (places === null) {
        places = placesOf(record, mapping)
        for (const title of record) names.addColumn(title)
      } else {
        names.fillTo(record.length)
        yield rowOf(record, places, header.length > 1)
      }
    }
    if (places === null) throw unreadable('is empty')
    // The only column is the input itself.
    if (header.length === 1) header.length = 0
  } catch (error) {
    throw error instanceof CsvFault ? unreadable(error.message) : error
  }
}

function rowOf(record: readonly string[], { id, named, matched }: Places, hasOthers: boolean): InputRow {
  const valueOf = (name: string) => record[named.get(name) ?? -1]
  return {
    input: id === null ? null : usable(record[id] ?? ''),
    question: named.size === 0 ? null : questionOf(valueOf, matched),
    columns: hasOthers ? record.map(carried) : null,
  }
}

function placesOf(header: readonly string[], mapping: Mapping): Places {
  const { column, map, kind } = mapping
  for (const [name, title] of map) if (!header.includes(title)) throw missing(`map.${name}`, 'is not in', header)
  const placed = (names: readonly string[]) =>
    names.flatMap((name) => {
      const place = header.indexOf(map.get(name) ?? name)
      return place < 0 ? [] : ([[name, place]] as const)
    })
  const expectations = expectedNames.map((name) => `expect.${name}`)
  const misspelt = header.find((name) => meansExpectation(name) && !isUsed(name, expectations, mapping))
  if (misspelt !== undefined) throw unknownColumn(misspelt, kind)
  const expected = placed(expectations)
  const matched = placed(matchNamesOf(kind))
  const isPlain = header.length === 1 && map.size === 0 && !neverIds.has(header[0] ?? '')
  if (column === null && matched.length > 0 && !isPlain)
    return { id: null, named: new Map([...matched, ...expected]), matched: matched.map(([name]) => name) }
  const id = column === null && header.length === 1 ? 0 : header.indexOf(column ?? '')
  if (id >= 0) return { id, named: new Map(expected), matched: [] }
  if (column !== null) throw missing('column', 'is not in', header)
  const names = matchNamesOf(kind).join(', ')
  throw missing('column', `is required, because no column is mapped and none of ${names} is in`, header)
}

/** A mapped column may have any name. */
function isUsed(name: string, expectations: readonly string[], { column, map }: Mapping): boolean {
  return expectations.includes(name) || name === column || [...map.values()].includes(name)
}

function unknownColumn(name: string, kind: Mapping['kind']): Failure {
  const parameter = name.slice(0, 40)
  const detail = unknownExpectation(kind ?? 'people')
  return new Failure('invalid_request', {
    detail: `The column ${parameter} ${detail}.`,
    errors: [{ parameter, detail }],
  })
}

function missing(parameter: string, what: string, header: readonly string[]): Failure {
  const names = header.slice(0, 20).map((name) => name.slice(0, 40))
  const detail = `${what} the CSV, which has: ${names.join(', ')}`
  return new Failure('invalid_request', { detail: `${parameter} ${detail}.`, errors: [{ parameter, detail }] })
}
