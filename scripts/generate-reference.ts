/**
 * Writes docs/reference from the program's own help and from the OpenAPI documents: `npm run generate`.
 * A test fails when the files are out of date.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openApiDocument } from '../contract/src/index.ts'
import { openInProcess } from '../service/src/app/in-process.ts'
import { cliReference } from './reference/cli-reference.ts'
import { collection } from './reference/collection.ts'
import { openApiReference, type Document } from './reference/openapi-reference.ts'

const adminFailures = `Every call may fail with 400 (a parameter is not valid), 401 (no admin token, or one that opens nothing), 403 (the
token may not do this) or 404 (there is no such thing), as \`application/problem+json\` with \`code\`, \`detail\` and \`request_id\`.
Send the token as \`Authorization: Bearer ...\`.`

/** Every page of the reference, by its name in docs/reference. */
export async function generateReference(): Promise<Record<string, string>> {
  const publicDocument = openApiDocument({ serverUrl: '/', version: '' }) as Document
  return {
    'cli.md': cliReference(),
    'api.md': openApiReference(publicDocument, 'The public API'),
    'admin-api.md': openApiReference(await adminDocument(), 'The admin API', adminFailures),
    'vitae.postman_collection.json': collection(),
  }
}

/** The OpenAPI document of the admin API. It is made from the routes, so a service with an empty store is asked for it. */
export async function adminDocument(): Promise<Document> {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-reference-'))
  const before = process.env['VITAE_DATA_DIR']
  process.env['VITAE_DATA_DIR'] = folder
  try {
    const service = await openInProcess()
    const headers = { authorization: `Bearer ${service.ownerToken}` }
    const { body } = await service.request({ method: 'GET', path: '/admin/openapi.json', headers })
    await service.close()
    return JSON.parse(body.toString()) as Document
  } finally {
    if (before === undefined) delete process.env['VITAE_DATA_DIR']
    else process.env['VITAE_DATA_DIR'] = before
    rmSync(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  const folder = join(import.meta.dirname, '../docs/reference')
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(await generateReference())) writeFileSync(join(folder, name), text)
}
