import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { openPostgres } from '../../src/database/postgres/postgres.ts'
import { openOwnDatabase, type Content } from '../harness/engines.ts'

const vitae = join(import.meta.dirname, '../../../cli/bin/vitae.js')

/** A database, the doctor's report on it, and its schema before and after. */
async function examined(content: Content, change = 'select 1') {
  const database = await openOwnDatabase(content)
  const folder = mkdtempSync(join(tmpdir(), 'vitae-doctor-'))
  const { db } = openPostgres(database.url, () => undefined)
  onTestFinished(async () => {
    await db.destroy()
    await database.drop()
    rmSync(folder, { recursive: true, force: true })
  })
  const columns = sql`select table_name, column_name from information_schema.columns
    where table_schema = 'public' order by table_name, column_name`
  await sql.raw(change).execute(db)
  const before = (await columns.execute(db)).rows
  const env = {
    PATH: process.env['PATH'],
    DATABASE_URL: database.url,
    VITAE_DATA_DIR: folder,
    VITAE_UPSTREAM: 'directory',
  }
  const ended = promisify(execFile)(process.execPath, [vitae, 'doctor', '--json'], { env, cwd: folder })
  const { code, stdout } = await ended.then(
    (done) => ({ code: 0, ...done }),
    (error: unknown) => error as { code: number; stdout: string },
  )
  const { checks } = JSON.parse(stdout) as { checks: { state: string; detail: string }[] }
  return { code, checks, isUnchanged: JSON.stringify((await columns.execute(db)).rows) === JSON.stringify(before) }
}

test('the doctor creates no store in an empty database, and reports that there is none', async () => {
  const { code, checks, isUnchanged } = await examined('empty')

  expect({ code, isUnchanged }).toEqual({ code: 1, isUnchanged: true })
  expect(checks).toMatchObject([{ state: 'error', detail: expect.stringContaining('without a Vitae store') }])
})

test('the doctor does not change a store with an older schema, and reports that it needs a migration', async () => {
  const older = `alter table keys drop column revoked; alter table environments drop column recurring_unsure;
    delete from migrations where name = 'clocks'`
  const { code, checks, isUnchanged } = await examined('migrated', older)

  expect({ code, isUnchanged }).toEqual({ code: 1, isUnchanged: true })
  expect(checks).toMatchObject([{ state: 'error', detail: expect.stringContaining('needs a migration to schema 38') }])
})
