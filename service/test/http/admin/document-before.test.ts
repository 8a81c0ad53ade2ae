import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openTestService } from '../../harness/test-service.ts'

type Json = Record<string, any> // oxlint-disable-line typescript/no-explicit-any -- a document is walked, not typed

test('the admin document says the same as the one that was made from the routes, but for the listed corrections', async () => {
  const service = await openTestService({ upstream: 'directory' })
  const headers = { authorization: `Bearer ${service.service.admin.ownerToken}` }
  const after = (await service.get('/admin/openapi.json', headers)).json
  const before = JSON.parse(readFileSync(join(import.meta.dirname, 'document-before.ndjson'), 'utf8')) as Json

  expect(comparable(after).paths).toEqual(comparable(before).paths)
  expect(after.components).toEqual({ securitySchemes: before['components'].securitySchemes })
  expect(after.tags).toEqual(expect.arrayContaining(before['tags']))
})

/**
 * Corrections: an answer without a description of its own is "The answer."; records of any names are `patternProperties`,
 * as in the public document; a constant is a `const`; the tag of the prices is described. Order means nothing.
 */
function comparable(document: Json): Json {
  const text = JSON.stringify(document, (key, value: unknown) => {
    if (/^40\d$/.test(key)) return undefined
    if (value === 'Default Response') return 'The answer.'
    if (key === 'parameters') return (value as Json[]).toSorted((a, b) => nameOf(a).localeCompare(nameOf(b)))
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? corrected(value) : value
  })
  return JSON.parse(text)
}

function corrected(schema: Json): Json {
  const { additionalProperties, enum: values, ...rest } = schema
  if (additionalProperties && rest['type'] === 'object')
    return { ...rest, patternProperties: { '^.*$': additionalProperties } }
  return rest['type'] === 'boolean' && values ? { ...rest, const: values[0] } : schema
}

function nameOf(parameter: Json): string {
  return `${parameter['in']} ${parameter['name']}`
}
