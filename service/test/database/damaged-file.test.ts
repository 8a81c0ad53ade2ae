import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { openTestService } from '../harness/test-service.ts'
import { reaching, runVitae } from '../harness/run-vitae.ts'

interface Check {
  name: string
  state: string
  detail: string
  hint?: string
}

test('the doctor reads every page of a store in use, and reports an intact one as intact', async () => {
  const service = await openTestService()

  const { code, json } = await runVitae(['doctor', '--json'], reaching(service))

  expect(code).toBe(0)
  expect(fileCheck(json)).toMatchObject({ state: 'ok', detail: expect.stringMatching(/^\d+ MB, every page is sound$/) })
})

test('a check without enough time to read everything does not report the store as intact', async () => {
  const service = await openTestService()

  expect(await service.service.store.database.inspectFile({ withinMs: 1 })).toMatchObject({ damage: null })
})

test('the doctor names a damaged page with a remedy, and exits with 1', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-damaged-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const env = { VITAE_DATA_DIR: folder }
  await runVitae(['projects', 'create', 'acme'], env)
  const path = join(folder, 'vitae.db')
  overwritePage(path, rootOf(path, 'entities_by_name'))

  const { code, json } = await runVitae(['doctor', '--json'], env)

  expect(code).toBe(1)
  const check = fileCheck(json)
  expect(check).toMatchObject({ state: 'error', hint: expect.stringContaining('vitae restore') })
  expect(check?.detail).toMatch(/^It is damaged: /)
})

function fileCheck({ checks }: Record<string, unknown>): Check | undefined {
  return (checks as Check[]).find(({ name }) => name === 'store file')
}

/** The first page of a table or an index. */
function rootOf(path: string, name: string): number {
  const database = new DatabaseSync(path)
  const row = database.prepare('select rootpage from sqlite_schema where name = ?').get(name)
  database.close()
  return Number(row?.['rootpage'])
}

function overwritePage(path: string, page: number): void {
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(4_096, 0xee), 0, 4_096, (page - 1) * 4_096)
  closeSync(file)
}
