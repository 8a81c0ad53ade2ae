import { openApiDocument } from '@vitae/contract'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

interface Part {
  $ref?: string
}
interface Header extends Part {
  required?: boolean
  schema?: object
}
interface Media {
  schema?: object
  examples?: Record<string, { value: unknown }>
}
interface Answer extends Part {
  headers?: Record<string, Header>
  content?: Record<string, Media>
}
interface Operation {
  responses: Record<string, Answer>
}
interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { headers: Record<string, Header>; responses: Record<string, Answer> }
}

/** Standard HTTP headers, which the document does not list. */
const ofHttp = new Set([
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
  'x-content-type-options',
])
const document = openApiDocument({ serverUrl: '/', version: '' }) as Document
const patterns = Object.entries(document.paths).map(([path, operations]) => {
  const pattern = new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}/?$`)
  return { pattern, isExact: !path.includes('{'), operations }
})
const validators = new Map<object, ValidateFunction>()
let ajv: Ajv2020 | null = null

/**
 * Checks a response against the OpenAPI document: status, headers, media type, body, and that the route lists the
 * failure code. Throws if anything differs.
 */
export function checkAgainstDocument(method: string, path: string, answer: Response, text: string): void {
  const bare = path.split('?', 1)[0] ?? ''
  const found = patterns.filter(({ pattern }) => pattern.test(bare)).toSorted((a, b) => +b.isExact - +a.isExact)[0]
  if (!found || method === 'HEAD') return
  const { operations } = found
  // A 405 is checked against any operation of the path.
  const operation =
    operations[method.toLowerCase()] ?? (answer.status === 405 ? Object.values(operations)[0] : undefined)
  if (!operation) return
  const where = `${method} ${bare} ${answer.status}`
  const listed = operation.responses[answer.status]
  if (!listed) throw new Error(`${where} is not in the OpenAPI document: ${text.slice(0, 300)}`)
  const described = listed.$ref ? resolve(document.components.responses, listed) : listed
  const wrong = [...wrongHeaders(described, answer.headers), ...wrongBody(described, answer.headers, text)]
  if (wrong.length > 0) throw new Error(`${where} is not as in the OpenAPI document: ${wrong.join('; ')}`)
}

function* wrongHeaders({ headers = {} }: Answer, given: Headers): Generator<string> {
  const listed = new Map(Object.keys(headers).map((name) => [name.toLowerCase(), headers[name] ?? {}]))
  for (const name of given.keys()) if (!listed.has(name) && !ofHttp.has(name)) yield `the header ${name} is not listed`
  for (const [name, part] of listed) {
    const { required = false, schema = {} } = resolve(document.components.headers, part)
    const value = given.get(name)
    if (value === null && required) yield `the header ${name} is missing`
    const isNumber = 'type' in schema && (schema.type === 'integer' || schema.type === 'number')
    if (value !== null) yield* complaints(schema, isNumber ? Number(value) : value, name)
  }
}

function* wrongBody({ content = {} }: Answer, given: Headers, text: string): Generator<string> {
  const type = given.get('content-type')?.split(';', 1)[0] ?? ''
  const media = content[type]
  if (!media) return void (yield `the type ${type} is not listed`)
  const { schema = {}, examples = {} } = media
  if (type === 'application/x-ndjson') {
    for (const line of text.split('\n').filter(Boolean)) yield* complaints(schema, JSON.parse(line), 'a line')
    return
  }
  const value: unknown = type.endsWith('json') ? JSON.parse(text) : text
  yield* complaints(schema, value, 'the body')
  const { code } = value as { code?: string }
  if (type === 'application/problem+json' && !(code && code in examples)) yield `the failure ${code} is not listed`
}

function* complaints(schema: object, value: unknown, what: string): Generator<string> {
  const validate = validators.get(schema) ?? compile(schema)
  validators.set(schema, validate)
  if (!validate(value)) yield `${what}: ${ajv?.errorsText(validate.errors)}`
}

/** Compiled on first use. The document itself is the root, so that its references resolve. */
function compile(schema: object): ValidateFunction {
  ajv ??= new Ajv2020({ strict: false, validateFormats: false }).addSchema({ ...document, $id: 'document' } as object)
  const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#', '"$ref":"document#')) as object
  return ajv.compile(absolute)
}

function resolve<T extends Part>(components: Record<string, T>, part: T): T {
  return (part.$ref && components[part.$ref.split('/').at(-1) ?? '']) || part
}
