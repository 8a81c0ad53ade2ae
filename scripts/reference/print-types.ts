/** The parts of a JSON schema that the generators use. TypeBox and OpenAPI schemas are JSON schemas. */
export interface Schema {
  type?: string
  description?: string
  enum?: string[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
  patternProperties?: Record<string, Schema>
}

/** The maximum line length. */
export const width = 120

/** Prints schemas as TypeScript. A schema that `nameOf` knows is always printed as its name. */
export function typePrinter(nameOf: (schema: Schema) => string | undefined) {
  function printInterface(name: string, schema: Schema): string {
    return `${printDoc(schema.description, '')}export interface ${name} ${printMembers(schema, '')}\n`
  }

  function printMembers(schema: Schema, indent: string): string {
    const inner = `${indent}  `
    const lines = Object.entries(schema.properties ?? {}).map(([key, value]) => {
      const mark = schema.required?.includes(key) ? '' : '?'
      return `${printDoc(describe(value), inner)}${printMember(`${inner}${key}${mark}:`, printType(value, inner))}\n`
    })
    return `{\n${lines.join('')}${indent}}`
  }

  /** The description of a nullable value is on its non-null variant; that of a named shape is on its declaration. */
  function describe(schema: Schema): string | undefined {
    if (nameOf(schema)) return undefined
    return schema.description ?? schema.anyOf?.map(describe).find((words) => words !== undefined)
  }

  function printType(schema: Schema, indent: string): string {
    const name = nameOf(schema)
    if (name) return name
    if (schema.anyOf) {
      const members = schema.anyOf.map((member) => printType(member, indent))
      return members.includes('unknown') ? 'unknown' : members.join(' | ')
    }
    if (schema.enum) return schema.enum.map(quote).join(' | ')
    if (schema.type === 'object') return printObject(schema, indent)
    if (schema.type === 'array') return printArray(printType(schema.items ?? {}, indent))
    if (schema.type === 'integer' || schema.type === 'number') return 'number'
    return schema.type ?? 'unknown'
  }

  function printObject(schema: Schema, indent: string): string {
    if (schema.properties) return printMembers(schema, indent)
    const open = Object.values(schema.patternProperties ?? {})[0] ?? schema.additionalProperties
    return `Record<string, ${typeof open === 'object' ? printType(open, indent) : 'unknown'}>`
  }

  return { printInterface }
}

/** A union that is too long for one line gets a line per member, like the formatter's output. */
function printMember(name: string, type: string): string {
  const line = `${name} ${type}`
  if (line.length <= width || type.includes('{')) return line
  const indent = ' '.repeat(name.length - name.trimStart().length + 2)
  return [name, ...type.split(' | ').map((member) => `${indent}| ${member}`)].join('\n')
}

const printArray = (item: string): string => (/^[^{]* \| /.test(item) ? `(${item})[]` : `${item}[]`)

const printDoc = (text: string | undefined, indent: string): string => (text ? `${indent}/** ${text} */\n` : '')

/** A string literal in our style. */
export const quote = (text: string): string => (text.includes("'") ? JSON.stringify(text) : `'${text}'`)
