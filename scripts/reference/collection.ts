import { openApiDocument } from '../../contract/src/index.ts'

type Plain = string | number | boolean

interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  example?: Plain
  schema?: { default?: Plain; enum?: Plain[] }
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
 * The public API as a collection that Postman, Bruno, Insomnia and Hoppscotch import: a folder for each tag, a request for each
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
      { key: 'api_key', value: '' },
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
  const body = requestBody?.content['application/json']?.example
  return {
    name: summary,
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
          .map(({ name, description: text }) => ({ key: name, value: '', description: text })),
      },
      ...(body === undefined ? {} : { body: { mode: 'raw', raw: JSON.stringify(body, null, 2) } }),
    },
  }
}

/** Only what a request needs is switched on. */
function valueOf({ name, required = false, description, example, schema }: Parameter) {
  const value = example ?? schema?.default ?? schema?.enum?.[0] ?? ''
  return { key: name, value: String(value), description, disabled: !required }
}

function resolve({ components }: Document, reference: string): Parameter {
  const found = components.parameters[reference.split('/').at(-1) ?? '']
  if (!found) throw new Error(`${reference} leads nowhere`)
  return found
}
