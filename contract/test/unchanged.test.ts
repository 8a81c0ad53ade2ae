import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openApiDocument } from '../src/index.ts'

type Json = Record<string, any> // oxlint-disable-line typescript/no-explicit-any -- a document is walked, not typed

/** Operations that came later. */
const added = ['/v1/statement']

test('the public document is the one of before, except for the corrections of decision 82', () => {
  const before = JSON.parse(readFileSync(join(import.meta.dirname, 'document-before.ndjson'), 'utf8')) as Json
  const { paths } = before
  paths['/v1/people/profile'].get.responses[200].description = 'Look up one person'
  paths['/v1/companies/details'].get.responses[200].description = 'Look up one company'
  paths['/v1/watches'].post.responses[200].description = 'The environment watches the record already'
  paths['/healthz'].get.responses[200].description = 'Is the process alive?'
  paths['/readyz'].get.responses[200].description = 'Can calls be answered?'
  for (const path of ['/v1/batches', '/v1/batches/preview'])
    for (const status of [200, 202]) delete paths[path].post.responses[status]?.headers['X-Ignored-Parameters']

  const now = alike(openApiDocument({ serverUrl: '/', version: '1.2.3' }))
  for (const path of added) delete now['paths'][path]
  expect(now).toEqual(alike(before))
})

/** A document with its parameters written out, and its examples of answers under one name. */
function alike(document: Json): Json {
  const copy = structuredClone(document)
  for (const operation of Object.values<Json>(copy['paths']).flatMap((path) => Object.values<Json>(path))) {
    operation['parameters'] = operation['parameters']?.map(
      (part: Json) => copy['components'].parameters[part['$ref']?.split('/').at(-1)] ?? part,
    )
    for (const { content = {} } of Object.values<Json>(operation['responses']))
      for (const media of Object.values<Json>(content))
        media['examples'] &&= Object.values<Json>(media['examples']).map(({ value }) => value)
  }
  return copy
}
