import fc from 'fast-check'

export type Type = 'text/csv' | 'application/json' | 'application/x-ndjson'

/** A body of any size: a beginning, a repeated unit, and an end. */
export interface AnyBody {
  type: Type
  begin: string
  unit: (index: number) => string
  end: string
}

/** The bytes of a body of about this size. */
export function bytesOf({ begin, unit, end }: AnyBody, size: number): Buffer {
  const body = Buffer.alloc(size + 1_048_576)
  let at = body.write(begin)
  for (let index = 0; at < size; index++) at += body.write(unit(index), at)
  at += body.write(end, at)
  return body.subarray(0, at)
}

const words = ['', 'a', 'ada-lovelace', 'é', '👩', '\\u0041', '\\"', 'x'.repeat(480), 'y'.repeat(4_000)]
const names = ['id', 'email', 'note', 'ids', 'kind', '__proto__', '', 'n'.repeat(900)]

/** CSV files with any number of columns, any names and cells, and all kinds of line ends. */
export const anyCsv: fc.Arbitrary<AnyBody> = fc
  .record({
    columns: fc.constantFrom(1, 2, 20, 999, 1_001, 70_000),
    title: fc.constantFrom('id', 'note', '', 'n'.repeat(70)),
    isNumbered: fc.boolean(),
    cells: fc.constantFrom(1, 2, 20, 999, 5_000),
    cell: fc.constantFrom(...words, '"', '""', '"a""b"', '"\n"', '"a", '),
    lineEnd: fc.constantFrom('\n', '\r\n', '\r', ''),
    delimiter: fc.constantFrom(',', ';', '\t'),
  })
  .map(({ columns, title, isNumbered, cells, cell, lineEnd, delimiter }) => {
    const titles = Array.from({ length: columns }, (_, index) => (isNumbered ? `${title}${index}` : title))
    const row = Array.from({ length: cells }, () => cell).join(delimiter)
    const begin = `id${delimiter}${titles.join(delimiter)}${lineEnd}`
    return { type: 'text/csv', begin, unit: (index) => `r${index}${delimiter}${row}${lineEnd}`, end: '' }
  })

/** JSON texts of one value each, which may be wide, deep or long. */
const anyValue: fc.Arbitrary<(index: number) => string> = fc.oneof(
  fc.constantFrom(...words).map((word) => (index: number) => `"${word}${index}"`),
  fc.constantFrom('0', 'null', '-1e-7', 'tru', '[]', '{}', '{"id":"a"').map((text) => () => text),
  fc
    .record({
      members: fc.constantFrom(1, 12, 300, 1_200),
      name: fc.constantFrom(...names),
      word: fc.constantFrom(...words),
      isNew: fc.boolean(),
    })
    .map(({ members, name, word, isNew }) => (index: number) => {
      const of = (member: number) => (isNew ? `${index}-${member}` : member)
      const others = Array.from({ length: members }, (_, member) => `,"${name}${of(member)}":"${word}"`)
      return `{"id":"r${index}"${others.join('')}}`
    }),
  fc.constantFrom(3, 60, 5_000, 40_000).map((levels) => () => '['.repeat(levels) + ']'.repeat(levels)),
)

/** JSON bodies: a list of values under a name, or members with a value each. */
export const anyJson: fc.Arbitrary<AnyBody> = fc
  .record({
    value: anyValue,
    list: fc.constantFrom('ids', 'lines', 'watches', 'hashes', 'other', null),
    first: fc.constantFrom('"kind":"people",', ''),
    last: fc.constantFrom(',"kind":"people"', ''),
    space: fc.constantFrom('', ' ', '\n'.repeat(2_000)),
  })
  .map(({ value, list, first, last, space }) => {
    const unit =
      list === null
        ? (index: number) => `"u${index}":${value(index)},${space}`
        : (index: number) => `${value(index)},${space}`
    const begin = list === null ? `{${first}` : `{${first}"${list}":[`
    return { type: 'application/json', begin, unit, end: list === null ? `"z":0${last}}` : `"z"]${last}}` }
  })

export const anyNdjson: fc.Arbitrary<AnyBody> = fc
  .record({ value: anyValue, lineEnd: fc.constantFrom('\n', '\r\n', '') })
  .map(({ value, lineEnd }) => ({
    type: 'application/x-ndjson',
    begin: '',
    unit: (index: number) => value(index) + lineEnd,
    end: '',
  }))

const text = (type: Type, begin: string, unit: (index: number) => string, end = ''): AnyBody => ({
  type,
  begin,
  unit,
  end,
})
const wide = 'w'.repeat(480)

/** Bodies that once blocked the service or used too much memory, and the largest accepted ones. */
export const knownBodies: Record<string, AnyBody> = {
  'a header of 999 equal names': text('text/csv', `id${',a'.repeat(999)}\n`, (index) => `r${index}\n`),
  'commas without an end': text('text/csv', 'id', () => ','),
  'a quote without an end': text('text/csv', 'id,note\na,"', () => 'x'),
  'empty lines': text('text/csv', '', () => '\n', 'id\na\n'),
  'rows of 999 cells': text('text/csv', `id${',a'.repeat(998)}\n`, (index) => `r${index}${','.repeat(998)}\n`),
  'a wide file': text('text/csv', 'id,note\n', (index) => `r${index},${wide}\n`),
  'unknown members': text('application/json', '{', (index) => `"u${index}":0,`, '"kind":"people","ids":["a"]}'),
  'rows that are objects': text(
    'application/json',
    '{"ids":[',
    (index) => `{"id":"r${index}","note":"${wide}"},`,
    '"z"],"kind":"people"}',
  ),
  'lists within each other': text('application/json', '{"kind":"people","ids":["a"],"name":', () => '['),
  'a wide file of lines': text('application/x-ndjson', '', (index) => `{"id":"r${index}","note":"${wide}"}\n`),
  'lines of many members': text(
    'application/x-ndjson',
    '',
    (index) => `{"id":"r${index}"${Array.from({ length: 900 }, (_, at) => `,"m${at}":0`).join('')}}\n`,
  ),
}
