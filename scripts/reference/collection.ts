import { openApiDocument } from '../../contract/src/index.ts'

type Plain = string | number | boolean

interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  example?: Plain
  schema?: { type?: string; default?: Plain; enum?: Plain[] }
}

interface Operation {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  parameters?: (Parameter | { $ref: string })[]
  requestBody?: { content: Record<string, { example?: unknown }> }
}

interface Document {
  info: { title: string; description: string }
  paths: Record<string, Record<string, Operation>>
  components: { parameters: Record<string, Parameter> }
}

/**
 * The public API as a collection for Postman, Bruno, Insomnia and Hoppscotch: a folder per tag, a request per
 * operation. A test sends every request of it.
 */
export function collection(): string {
  const document = openApiDocument({ serverUrl: '/', version: '' }) as Document
  const requests = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      tag: operation.tags[0] ?? '',
      item: itemOf(document, method, path, operation),
    })),
  )
  const tags = [...new Set(requests.map(({ tag }) => tag))]
  const { title, description } = document.info
  const whole = {
    info: {
      name: title,
      description,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: {
      type: 'apikey',
      apikey: [
        { key: 'in', value: 'header', type: 'string' },
        { key: 'key', value: 'ApiKey', type: 'string' },
        { key: 'value', value: '{{api_key}}', type: 'string' },
      ],
    },
    variable: [
      { key: 'base_url', value: 'http://127.0.0.1:8080' },
      { key: 'api_key', value: 'vt_test_...' },
      ...[...new Set(Object.keys(document.paths).flatMap((path) => idOf(path)?.name ?? []))].map((key) => ({
        key,
        value: `set-by-the-request-that-makes-one`,
      })),
    ],
    item: tags.map((name) => ({
      name,
      item: requests.filter(({ tag }) => tag === name).map(({ item }) => item),
    })),
  }
  return `${JSON.stringify(whole, null, 2)}\n`
}

function itemOf(document: Document, method: string, path: string, operation: Operation): object {
  const { summary, description, parameters = [], requestBody } = operation
  const known = parameters.map((part) => ('$ref' in part ? resolve(document, part.$ref) : part))
  const query = known.filter((part) => part.in === 'query').map(valueOf)
  const set = query.filter(({ disabled }) => !disabled).map(({ key, value }) => `${key}=${encodeURIComponent(value)}`)
  const address = `{{base_url}}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`
  const kept = keptOf(document, method, path)
  const body = requestBody?.content['application/json']?.example
  return {
    name: summary,
    ...(kept && { event: [{ listen: 'test', script: { type: 'text/javascript', exec: [kept] } }] }),
    request: {
      method: method.toUpperCase(),
      description,
      header: [
        ...(body === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }]),
        ...known.filter((part) => part.in === 'header').map(valueOf),
      ],
      url: {
        raw: set.length === 0 ? address : `${address}?${set.join('&')}`,
        host: ['{{base_url}}'],
        path: path
          .slice(1)
          .split('/')
          .map((part) => part.replace(/^\{(\w+)\}$/, ':$1')),
        query,
        variable: known
          .filter((part) => part.in === 'path')
          .map(({ name, description: text }) => ({ key: name, value: `{{${idOf(path)?.name}}}`, description: text })),
      },
      ...(body === undefined ? {} : { body: { mode: 'raw', raw: JSON.stringify(body, null, 2) } }),
    },
  }
}

/**
 * The id in a path: the name of its variable, and the path of its resource. `/v1/batches/{id}/results` has `batch_id`
 * of `/v1/batches`.
 */
function idOf(path: string): { name: string; of: string } | null {
  const of = /^(.*)\/\{\w+\}/.exec(path)?.[1]
  if (of === undefined) return null
  const thing = of.split('/').at(-1) ?? ''
  // The id of a receipt is the id of its request.
  return { name: thing === 'receipts' ? 'request_id' : `${thing.replace(/(?<=ch)es$|s$/, '')}_id`, of }
}

/**
 * The script of a request that stores the id from its response, for later requests that need one. A failed request
 * stores nothing.
 */
function keptOf({ paths }: Document, method: string, path: string): string | null {
  if (method === 'get' && /^\/v1\/(people\/profile|companies\/details)$/.test(path))
    return keep('request_id', "pm.response.headers.get('X-Request-Id')")
  const id = Object.keys(paths)
    .map(idOf)
    .find((found) => found?.of === path)
  return method === 'post' && id ? keep(id.name, 'pm.response.json().id') : null
}

const keep = (name: string, value: string) =>
  `if (pm.response.code < 300) pm.collectionVariables.set('${name}', ${value})`

/** Values of optional headers when they are enabled. Postman generates a new value for each call. */
const headerValues = new Map([
  ['Idempotency-Key', '{{$guid}}'],
  ['X-Spend-Tag', 'trial'],
  ['Cache-Control', 'stale-if-error=0'],
])

/** Only required parameters are enabled. An enabled boolean is true. */
function valueOf({ name, required = false, description, example, schema }: Parameter) {
  const isSwitch = schema?.type === 'boolean'
  const value = isSwitch || (headerValues.get(name) ?? example ?? schema?.default ?? schema?.enum?.[0] ?? '')
  return { key: name, value: String(value), description, disabled: !required }
}

function resolve({ components }: Document, reference: string): Parameter {
  const found = components.parameters[reference.split('/').at(-1) ?? '']
  if (!found) throw new Error(`${reference} leads nowhere`)
  return found
}
