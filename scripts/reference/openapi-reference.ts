interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  format?: string
  description?: string
  anyOf?: Schema[]
  oneOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  patternProperties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
}

interface Parameter {
  $ref?: string
  name: string
  in: string
  required?: boolean
  description?: string
  schema?: Schema
}

interface Media {
  schema?: Schema
}

interface Answer {
  $ref?: string
  description?: string
  headers?: Record<string, unknown>
  content?: Record<string, Media>
}

interface Operation {
  operationId?: string
  summary?: string
  description?: string
  tags?: string[]
  parameters?: Parameter[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, Answer>
}

/** The parts of an OpenAPI document that the reference uses. */
export interface Document {
  info: { description?: string }
  tags?: { name: string; description?: string }[]
  paths: Record<string, Record<string, Operation>>
  components?: {
    parameters?: Record<string, Parameter>
    responses?: Record<string, Answer>
    schemas?: Record<string, Schema>
  }
}

/** An OpenAPI document as a Markdown page. `failures` is printed once if all operations share them. */
export function openApiReference(document: Document, title: string, failures?: string): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const sections = (document.tags ?? []).map(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags?.includes(name))
    const pages = own.map(({ path, method, operation }) =>
      operationPage(document, method, path, failures ? withoutFailures(operation) : operation),
    )
    return [`## ${name}\n\n${description ?? ''}\n`, ...pages].join('\n')
  })
  const shapes = Object.entries(document.components?.schemas ?? {}).map(([name, schema]) => shapePage(name, schema))
  return [
    `# ${title}\n\nGenerated from the OpenAPI document by scripts/generate-reference.ts. Do not edit.\n`,
    `${(document.info.description ?? '').replaceAll(/(?<!\n)\n(?!\n)/g, ' ')}\n`,
    ...(failures ? [`${failures}\n`] : []),
    ...sections,
    ...(shapes.length > 0 ? ['## Shapes\n', ...shapes] : []),
  ].join('\n')
}

function withoutFailures(operation: Operation): Operation {
  const good = Object.entries(operation.responses).filter(([status]) => Number(status) < 400)
  return { ...operation, responses: Object.fromEntries(good) }
}

function operationPage(document: Document, method: string, path: string, operation: Operation): string {
  const { summary = '', description = '', parameters = [], requestBody, responses } = operation
  const resolved = parameters.map((parameter) => named(document.components?.parameters, parameter))
  const body = Object.values(requestBody?.content ?? {})[0]?.schema
  return [
    `### ${method} ${path}\n`,
    `${[summary, description].filter(Boolean).join('. ').replaceAll('..', '.')}\n`,
    ...(resolved.length > 0 ? [table(['parameter', 'in', 'type', 'meaning'], resolved.map(parameterRow))] : []),
    ...(body?.properties ? [table(['body', 'type', 'meaning'], fieldRows(body))] : []),
    table(
      ['answer', 'body'],
      Object.entries(responses).map(([status, answer]) => answerRow(document, status, answer)),
    ),
  ].join('\n')
}

function named<T extends { $ref?: string }>(components: Record<string, T> | undefined, part: T): T {
  return part.$ref ? (components?.[part.$ref.split('/').at(-1) ?? ''] ?? part) : part
}

function parameterRow({ name, in: place, required, description = '', schema = {} }: Parameter): string[] {
  return [
    `\`${name}\`${required ? ' (required)' : ''}`,
    place,
    typeOf(schema),
    description || (schema.description ?? ''),
  ]
}

function answerRow(document: Document, status: string, answer: Answer): string[] {
  const { description = '', content = {} } = named(document.components?.responses, answer)
  const bodies = Object.entries(content).map(([type, { schema = {} }]) => `\`${type}\`: ${typeOf(schema)}`)
  return [`${status} ${description === 'The answer.' ? '' : description}`.trim(), bodies.join('<br>')]
}

function shapePage(name: string, schema: Schema): string {
  return [`### ${name}\n`, table(['field', 'type', 'meaning'], fieldRows(schema))].join('\n')
}

function fieldRows(schema: Schema): string[][] {
  return Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const optional = schema.required?.includes(name) ? '' : ' (optional)'
    return [`\`${name}\`${optional}`, typeOf(field), field.description ?? '']
  })
}

/** A short form of a type: an object by its field names, and those of its nested objects one level deep. */
function typeOf(schema: Schema, depth = 1): string {
  if (schema.$ref) return link(schema.$ref)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return choices.map((choice) => typeOf(choice, depth)).join(' or ')
  if (schema.enum) return schema.enum.map((value) => `\`${plain(value)}\``).join(', ')
  if (schema.const !== undefined) return `\`${plain(schema.const)}\``
  if (schema.items) return `list of ${typeOf(schema.items, depth)}`
  if (schema.properties) return `{ ${Object.entries(schema.properties).map(fieldText(depth)).join(', ')} }`
  const inner = Object.values(schema.patternProperties ?? {})[0]
  if (inner) return `map of ${typeOf(inner, depth)}`
  return schema.format ?? [schema.type ?? 'anything'].flat().join(' or ')
}

function fieldText(depth: number): (field: [name: string, schema: Schema]) => string {
  return ([name, schema]) => (depth > 0 && isNested(schema) ? `${name}: ${typeOf(schema, depth - 1)}` : name)
}

function isNested(schema: Schema): boolean {
  return Boolean(schema.properties ?? schema.patternProperties) || (schema.items ? isNested(schema.items) : false)
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** A link to a shape. A field of a shape has no heading to link to. */
function link(ref: string): string {
  const [shape = '', , field] = ref.split('/').slice(3)
  return `${field === undefined ? '' : 'as in '}[${shape}](#${shape.toLowerCase()})`
}

function table(head: readonly string[], rows: readonly string[][]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line), ''].join('\n')
}
