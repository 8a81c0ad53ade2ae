/**
 * Writes the part of the client that the contract decides, so that the client needs the contract neither at run time
 * nor at install time: `node scripts/generate-client-types.ts`. A test of the client fails when the files drift.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as contract from '../contract/src/index.ts'
import { HeadcountRange } from '../contract/src/shapes.ts'

/** What this script reads of a JSON schema; TypeBox schemas are JSON schemas. */
type Schema = {
  type?: string
  description?: string
  enum?: string[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
}
type Failure = { status: number; title: string; retryable: boolean }

const notice = '// Generated from the contract by scripts/generate-client-types.ts. Do not edit.\n'
const roots = [contract.Person, contract.Company, contract.Problem]
const width = 120

const names = new Map<unknown, string>([[HeadcountRange, 'HeadcountRange']])
for (const [name, value] of Object.entries(contract)) {
  if (typeof value === 'object' && 'type' in value && value.type === 'object') names.set(value, name)
}

/** Every generated file of the client, by its name in client/src. */
export function generateClientFiles(): Record<string, string> {
  return { 'contract.generated.ts': contractFile(), 'failure-errors.generated.ts': errorsFile() }
}

function contractFile(): string {
  const sources = contract.dataSources.map(quote).join(' | ')
  return [
    notice,
    ...reachableShapes().map(printInterface),
    `/** Where the data of an answer came from. */\nexport type DataSource = ${sources}\n`,
    `/** Every way a call can fail, as the service names it. */\nexport const failures = {\n${printFailures()}} as const\n`,
    'export type FailureCode = keyof typeof failures\n',
  ].join('\n')
}

/** The named shapes that the roots are made of, each one after the first that mentions it. */
function reachableShapes(): [name: string, schema: Schema][] {
  const found = new Map<string, Schema>()
  const visit = (schema: Schema): void => {
    const name = names.get(schema)
    if (name && found.has(name)) return
    if (name) found.set(name, schema)
    for (const inner of [...(schema.anyOf ?? []), ...Object.values(schema.properties ?? {})]) visit(inner)
    if (schema.items) visit(schema.items)
  }
  for (const root of roots) visit(root as Schema)
  return [...found]
}

function printInterface([name, schema]: [string, Schema]): string {
  return `${printDoc(schema.description, '')}export interface ${name} ${printMembers(schema, '')}\n`
}

function printMembers(schema: Schema, indent: string): string {
  const inner = `${indent}  `
  const lines = Object.entries(schema.properties ?? {}).map(([key, value]) => {
    const mark = schema.required?.includes(key) ? '' : '?'
    return `${printDoc(describe(value), inner)}${inner}${key}${mark}: ${printType(value, inner)}\n`
  })
  return `{\n${lines.join('')}${indent}}`
}

/** The words on a value that may be null stand on the value. A named shape says them itself. */
function describe(schema: Schema): string | undefined {
  if (names.has(schema)) return undefined
  return schema.description ?? schema.anyOf?.map(describe).find((words) => words !== undefined)
}

function printType(schema: Schema, indent: string): string {
  const name = names.get(schema)
  if (name) return name
  if (schema.anyOf) return schema.anyOf.map((member) => printType(member, indent)).join(' | ')
  if (schema.enum) return schema.enum.map(quote).join(' | ')
  if (schema.type === 'object') return printMembers(schema, indent)
  if (schema.type === 'array') return printArray(printType(schema.items ?? {}, indent))
  if (schema.type === 'integer' || schema.type === 'number') return 'number'
  return schema.type ?? 'unknown'
}

const printArray = (item: string): string => (/^[^{]* \| /.test(item) ? `(${item})[]` : `${item}[]`)

const printDoc = (text: string | undefined, indent: string): string => (text ? `${indent}/** ${text} */\n` : '')

function printFailures(): string {
  return entries()
    .map(([code, { status, title, retryable }]) => {
      const fields = [`status: ${status}`, `title: ${quote(title)}`, `retryable: ${retryable}`]
      const line = `  ${code}: { ${fields.join(', ')} },\n`
      return line.length <= width + 1 ? line : `  ${code}: {\n    ${fields.join(',\n    ')},\n  },\n`
    })
    .join('')
}

/** The class that stands for every failure of a status, known or not. */
const families: Record<number, string> = {
  401: 'VitaeAuthenticationError',
  402: 'VitaePaymentError',
  403: 'VitaePermissionError',
  429: 'VitaeThrottledError',
}
const familyOf = (status: number) => families[status] ?? (status >= 500 ? 'VitaeServerError' : 'VitaeRequestError')

function errorsFile(): string {
  const used = [...new Set(entries().map(([, { status }]) => familyOf(status)))].sort()
  const table = entries().map(([code]) => `  ${code}: ${errorName(code)},\n`)
  return [
    notice,
    `import type { FailureCode } from './contract.generated.ts'`,
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

function errorName(code: string): string {
  const words = code.split('_').filter((word) => word !== 'error')
  return `Vitae${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}Error`
}

const entries = (): [string, Failure][] => Object.entries(contract.failures)

const quote = (text: string): string => (text.includes("'") ? JSON.stringify(text) : `'${text}'`)

if (import.meta.main) {
  const folder = join(import.meta.dirname, '../client/src')
  for (const [name, text] of Object.entries(generateClientFiles())) writeFileSync(join(folder, name), text)
}
