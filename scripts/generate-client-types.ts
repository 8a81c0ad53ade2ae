/**
 * Generates the client's contract types, so that the client needs the contract neither at run time nor at install time:
 * `npm run generate`. A test of the client fails if the files are out of date.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as contract from '../contract/src/index.ts'
import { HeadcountRange } from '../contract/src/shapes.ts'
import { quote, typePrinter, width, type Schema } from './reference/print-types.ts'

type Failure = { status: number; title: string; retryable: boolean }

const notice = '// Generated from the contract by scripts/generate-client-types.ts. Do not edit.\n'
const roots = [
  contract.Person,
  contract.Company,
  contract.Problem,
  ...Object.values<contract.PublicRow>(contract.callerOperations).flatMap(({ response, produces }) => [
    ...(response ? [response] : []),
    ...Object.values(produces ?? {}),
  ]),
]

const names = new Map<unknown, string>([[HeadcountRange, 'HeadcountRange']])
for (const [name, value] of Object.entries(contract)) {
  if (typeof value === 'object' && 'type' in value && value.type === 'object') names.set(value, name)
}

/** The name of a shape, if it has one. */
export const nameOf = (schema: unknown): string | undefined => names.get(schema)

const { printInterface } = typePrinter(nameOf)

/** Every generated file of the client, by its path in client/src. */
export function generateClientFiles(): Record<string, string> {
  return { 'contract.generated.ts': contractFile(), 'answers/failure-errors.generated.ts': errorsFile() }
}

function contractFile(): string {
  const sources = contract.dataSources.map(quote).join(' | ')
  return [
    notice,
    ...reachableShapes().map(([name, schema]) => printInterface(name, schema)),
    `/** Where the data of an answer came from. */\nexport type DataSource = ${sources}\n`,
    `/** Every way a call can fail, as the service names it. */\nexport const failures = {\n${printFailures()}} as const\n`,
    'export type FailureCode = keyof typeof failures\n',
  ].join('\n')
}

/** The named shapes that the roots use, each after the first that mentions it. */
export function reachableShapes(): [name: string, schema: Schema][] {
  const found = new Map<string, Schema>()
  const visit = (schema: Schema): void => {
    const name = names.get(schema)
    if (name && found.has(name)) return
    if (name) found.set(name, schema)
    for (const inner of [...(schema.anyOf ?? []), ...Object.values(schema.properties ?? {})]) visit(inner)
    if (schema.items) visit(schema.items)
  }
  for (const root of roots) visit(root)
  return [...found]
}

function printFailures(): string {
  return entries()
    .map(([code, { status, title, retryable }]) => {
      const fields = [`status: ${status}`, `title: ${quote(title)}`, `retryable: ${retryable}`]
      const line = `  ${code}: { ${fields.join(', ')} },\n`
      return line.length <= width + 1 ? line : `  ${code}: {\n    ${fields.join(',\n    ')},\n  },\n`
    })
    .join('')
}

/** The class of every failure with this status, even for unknown codes. */
const families: Record<number, string> = {
  401: 'VitaeAuthenticationError',
  402: 'VitaePaymentError',
  403: 'VitaePermissionError',
  429: 'VitaeThrottledError',
}
/** The shared parent class of a status. */
export const familyOf = (status: number) =>
  families[status] ?? (status >= 500 ? 'VitaeServerError' : 'VitaeRequestError')

function errorsFile(): string {
  const used = [...new Set(entries().map(([, { status }]) => familyOf(status)))].sort()
  const table = entries().map(([code]) => `  ${code}: ${errorName(code)},\n`)
  return [
    notice,
    `import type { FailureCode } from '../contract.generated.ts'`,
    `import {\n${used.map((name) => `  ${name},\n`).join('')}} from './failure-families.ts'\n`,
    ...entries().map(printErrorClass),
    '/** The class of each failure the service names. */',
    `export const failureErrors = {\n${table.join('')}} as const satisfies Record<FailureCode, unknown>\n`,
  ].join('\n')
}

function printErrorClass([code, { status, title, retryable }]: [string, Failure]): string {
  const doc = `/** ${status} \`${code}\`: ${title}. ${retryable ? 'Retried' : 'Not retried'}. */`
  return `${doc}\nexport class ${errorName(code)} extends ${familyOf(status)} {\n  declare readonly code: '${code}'\n}\n`
}

/** The class of a failure, by its code. */
export function errorName(code: string): string {
  const words = code.split('_').filter((word) => word !== 'error')
  return `Vitae${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}Error`
}

/** Every failure of the contract. */
export const entries = (): [string, Failure][] => Object.entries(contract.failures)

if (import.meta.main) {
  const folder = join(import.meta.dirname, '../client/src')
  for (const [name, text] of Object.entries(generateClientFiles())) writeFileSync(join(folder, name), text)
}
