import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openTestService } from '../../harness/test-service.ts'

const root = join(import.meta.dirname, '../../../..')

test('the admin document passes redocly lint without an error and without a warning', async () => {
  const service = await openTestService({ upstream: 'directory' })
  const headers = { authorization: `Bearer ${service.service.admin.ownerToken}` }
  const document = await service.get('/admin/openapi.json', headers)

  const found = await lint(document.text)

  expect(found.problems).toEqual([])
  expect(found.totals).toMatchObject({ errors: 0, warnings: 0 })
})

async function lint(text: string): Promise<{ totals: Record<string, number>; problems: unknown[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'vitae-lint-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'openapi.json')
  await writeFile(file, text)
  const redocly = join(root, 'node_modules/.bin/redocly')
  const options = ['lint', file, '--config', join(root, 'redocly.yaml'), '--format', 'json']
  const output = await new Promise<string>((resolve) => {
    execFile(redocly, options, { cwd: root, maxBuffer: 1e8 }, (_error, stdout) => resolve(stdout))
  })
  return JSON.parse(output)
}
