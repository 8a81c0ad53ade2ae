/**
 * Generates the Python client's contract types: `npm run generate`. A test of that client fails if the files are out of
 * date.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as contract from '../contract/src/index.ts'
import { entries, errorName, familyOf, nameOf, reachableShapes } from './generate-client-types.ts'
import type { Schema } from './reference/print-types.ts'

const notice = '# Generated from the contract by scripts/generate-python-types.ts. Do not edit.'

/** Every generated file of the Python client, by its name in client-python/src/vitae_client. */
export function generatePythonFiles(): Record<string, string> {
  return { '_contract.py': contractFile(), '_failures.py': failuresFile() }
}

function contractFile(): string {
  const sources = contract.dataSources.map(literal).join(', ')
  const classes = new Map<string, string>()
  for (const [name, schema] of reachableShapes()) printClass(name, schema, classes)
  return [
    `${notice}\n"""The shapes of the contract."""`,
    'from __future__ import annotations',
    'from typing import Any, Dict, List, Literal, TypedDict, Union',
    `DataSource = Literal[${sources}]`,
    ...classes.values(),
  ]
    .join('\n\n')
    .concat('\n')
}

/** A shape as a TypedDict. Nested shapes without a name are named after their member. */
function printClass(name: string, schema: Schema, classes: Map<string, string>): void {
  const members = Object.entries(schema.properties ?? {}).map(([key, value]) => ({
    line: `    ${key}: ${printType(value, `${name}${pascal(key)}`, classes)}`,
    isRequired: schema.required?.includes(key) ?? false,
  }))
  // A member whose name is a Python keyword needs the functional syntax.
  if (Object.keys(schema.properties ?? {}).includes('from')) {
    const lines = members.map(({ line }) => line.replace(/^ {4}(\w+): (.*)$/, '    "$1": "$2",'))
    classes.set(
      name,
      `${name} = TypedDict(\n    "${name}",\n    {\n${lines.map((line) => `    ${line}`).join('\n')}\n    },\n)`,
    )
    return
  }
  const required = members.filter(({ isRequired }) => isRequired)
  const optional = members.filter(({ isRequired }) => !isRequired)
  const body = (lines: typeof members) => lines.map(({ line }) => line).join('\n') || '    pass'
  const doc = schema.description ? `    """${schema.description.replaceAll('\\', '\\\\')}"""\n` : ''
  if (optional.length > 0 && required.length > 0) {
    classes.set(`_${name}`, `class _${name}(TypedDict):\n${body(required)}`)
    classes.set(name, `class ${name}(_${name}, total=False):\n${doc}${body(optional)}`)
  } else {
    const total = optional.length > 0 ? ', total=False' : ''
    classes.set(name, `class ${name}(TypedDict${total}):\n${doc}${body(members)}`)
  }
}

const simple: Record<string, string> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
}

function printType(schema: Schema, place: string, classes: Map<string, string>): string {
  const name = nameOf(schema)
  if (name) return name
  if (schema.anyOf) {
    const members = [...new Set(schema.anyOf.map((member) => printType(member, place, classes)))]
    return members.length === 1 ? (members[0] ?? 'Any') : `Union[${members.join(', ')}]`
  }
  if (schema.enum) return `Literal[${schema.enum.map(literal).join(', ')}]`
  if (schema.type === 'array') return `List[${printType(schema.items ?? {}, `${place}Item`, classes)}]`
  if (schema.type !== 'object') return simple[schema.type ?? ''] ?? 'Any'
  if (!schema.properties) {
    const open = Object.values(schema.patternProperties ?? {})[0] ?? schema.additionalProperties
    return `Dict[str, ${typeof open === 'object' ? printType(open, `${place}Value`, classes) : 'Any'}]`
  }
  printClass(place, schema, classes)
  return place
}

function failuresFile(): string {
  const families = [...new Set(entries().map(([, { status }]) => familyOf(status)))].sort()
  const table = entries().map(([code, { status, title, retryable }]) => {
    const facts = [errorName(code), status, literal(title), retryable ? 'True' : 'False']
    return `    "${code}": Known(${facts.join(', ')}),`
  })
  return [
    `${notice}\n"""One class per failure that the service names."""`,
    'from __future__ import annotations',
    'from typing import Dict, NamedTuple, Type',
    `from ._errors import (\n${families.map((name) => `    ${name},\n`).join('')}    VitaeError,\n)`,
    ...entries().map(
      ([code, { status, title }]) =>
        `class ${errorName(code)}(${familyOf(status)}):\n    """${status} ${code}: ${title}."""`,
    ),
    'class Known(NamedTuple):\n    """A failure of the contract."""\n\n    error: Type[VitaeError]\n    status: int\n    title: str\n    retryable: bool',
    `FAILURES: Dict[str, Known] = {\n${table.join('\n')}\n}`,
  ]
    .join('\n\n')
    .concat('\n')
}

const literal = (text: string): string => JSON.stringify(text)
const pascal = (key: string): string =>
  key
    .split(/[^A-Za-z0-9]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

if (import.meta.main) {
  const folder = join(import.meta.dirname, '../client-python/src/vitae_client')
  for (const [name, text] of Object.entries(generatePythonFiles())) writeFileSync(join(folder, name), text)
}
