/**
 * Generates docs/reference from the program's help and the OpenAPI documents: `npm run generate`. A test fails if the
 * files are out of date.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openApiDocument } from '../contract/src/index.ts'
import { adminDocument } from '../contract/src/admin/index.ts'
import { cliReference } from './reference/cli-reference.ts'
import { collection } from './reference/collection.ts'
import { openApiReference, type Document } from './reference/openapi-reference.ts'
import { providerPages } from './reference/provider-pages.ts'

const adminFailures = `Every call may fail with 400 (a parameter is not valid), 401 (no admin token, or one that opens nothing), 403 (the
token may not do this) or 404 (the object does not exist), as \`application/problem+json\` with \`code\`, \`detail\` and \`request_id\`.
Send the token as \`Authorization: Bearer ...\`.`

/** Every reference page and other generated text, by its path from docs/reference. */
export function generateReference(): Record<string, string> {
  const publicDocument = openApiDocument({ serverUrl: '/', version: '' }) as Document
  return {
    'cli.md': cliReference(),
    'api.md': openApiReference(publicDocument, 'The public API'),
    'admin-api.md': openApiReference(adminDocument('') as Document, 'The admin API', adminFailures),
    'vitae.postman_collection.json': collection(),
    ...providerPages(),
  }
}

if (import.meta.main) {
  const folder = join(import.meta.dirname, '../docs/reference')
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(generateReference())) writeFileSync(join(folder, name), text)
}
