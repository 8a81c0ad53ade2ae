import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { functions, ProviderFileSchema } from '../../provider/src/files/index.ts'
import { countedProviders, providerTable } from './provider-table.ts'

const reference = join(import.meta.dirname, '../../docs/reference')

/** The generated pages about provider files, by their path from docs/reference. */
export function providerPages(): Record<string, string> {
  const guide = '../guides/provider-files.md'
  const readme = '../../README.md'
  const counted = `${countedProviders('')} [All of them](docs/reference/providers.md), with identifiers, prices and what they supply.`
  const schema = { $schema: 'https://json-schema.org/draft/2020-12/schema', ...withShared(ProviderFileSchema) }
  return {
    '../../service/providers/provider-file.schema.json': `${JSON.stringify(schema, null, 1)}\n`,
    'providers.md': providerTable(),
    [readme]: withPart(readFileSync(join(reference, readme), 'utf8'), 'providers', counted),
    [guide]: withPart(readFileSync(join(reference, guide), 'utf8'), 'functions', functionTable()),
  }
}

/** The schema with its repeated parts moved to `$defs`. */
function withShared(schema: object): object {
  const counts = new Map<string, number>()
  const parts = (value: unknown): object[] =>
    typeof value === 'object' && value !== null ? [value, ...Object.values(value).flatMap(parts)] : []
  for (const part of parts(schema)) counts.set(JSON.stringify(part), (counts.get(JSON.stringify(part)) ?? 0) + 1)
  const shared = [...counts].flatMap(([text, count]) => (count > 4 && text.length > 150 ? text : []))
  const refer = (value: unknown, isWhole = false): unknown => {
    if (typeof value !== 'object' || value === null) return value
    const at = isWhole ? -1 : shared.indexOf(JSON.stringify(value))
    if (at >= 0) return { $ref: `#/$defs/part${at}` }
    if (Array.isArray(value)) return value.map((item) => refer(item))
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, refer(inner)]))
  }
  const $defs = Object.fromEntries(shared.map((text, at) => [`part${at}`, refer(JSON.parse(text), true)]))
  return { ...(refer(schema, true) as object), $defs }
}

/** A page with the part between its two comments replaced. */
function withPart(page: string, name: string, part: string): string {
  const [before = '', rest = ''] = page.split(`<!-- ${name} -->`)
  const after = rest.slice(rest.indexOf(`<!-- /${name} -->`))
  return `${before}<!-- ${name} -->\n\n${part}\n\n${after}`
}

function functionTable(): string {
  const rows = Object.entries(functions).map(
    ([
      name,
      {
        says,
        takes: [least, most],
        values,
      },
    ]) => {
      const given = most === 0 ? '' : `('...'${most > 1 ? ', ...' : ''})`
      const wanted = values ? (values.length > 2 ? 'several' : values.join(' or ')) : 'each value'
      return `| \`${name}${least > 0 ? given : ''}\` | ${wanted} | ${says.replaceAll('|', '\\|')} |`
    },
  )
  return ['| function | takes | gives |', '|---|---|---|', ...rows].join('\n')
}
