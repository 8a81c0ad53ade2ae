import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { askReader } from '../../../src/database/sqlite/reader/reader.ts'
import { openTestService } from '../../harness/test-service.ts'

function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-checks-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('the newest scheduled backup is checked in full once a month, and the doctor reports a damaged one', async () => {
  const service = await openTestService({ env: { VITAE_BACKUP_DIR: join(ownFolder(), 'kept') } })
  const { backups } = service.service
  expect(await backups.verifyWhenDue()).toBeNull()

  const made = await backups.makeWhenDue()
  expect(await backups.verifyWhenDue()).toMatchObject({ ok: true, fault: null })
  service.clock.advance({ days: 29 })
  expect(await backups.verifyWhenDue()).toBeNull()
  service.clock.advance({ days: 1 })
  const bytes = readFileSync(made?.path ?? '')
  bytes.writeUInt8(bytes.readUInt8(4_200) ^ 1, 4_200)
  writeFileSync(made?.path ?? '', bytes)

  expect(await backups.verifyWhenDue()).toMatchObject({ ok: false, fault: expect.stringMatching(/digest/) })
  const { checks } = await service.admin<{ checks: { name: string; state: string }[] }>('GET', '/doctor')
  expect(checks.find(({ name }) => name === 'backup check')).toMatchObject({ state: 'error' })
})

test('a quick check reads every page, a full one also compares indexes with their tables; both report progress', async () => {
  const path = join(ownFolder(), 'store.db')
  const store = new DatabaseSync(path)
  store.exec('create table texts (text text); create index by_text on texts (text)')
  const root = Number(store.prepare("select rootpage from sqlite_schema where name = 'by_text'").get()?.['rootpage'])
  const place = { start: (root - 1) * 4_096, end: root * 4_096 }
  store.exec("insert into texts values ('one')")
  const before = readFileSync(path).subarray(place.start, place.end)
  store.exec("update texts set text = 'two'")
  store.close()
  // The index as it was before the update: intact, but it disagrees with the table.
  const bytes = readFileSync(path)
  bytes.set(before, place.start)
  writeFileSync(path, bytes)

  const steps: { done: number; all: number }[] = []
  expect(await askReader({ kind: 'check', path, how: 'quick' }, null, (step) => steps.push(step))).toEqual([])
  expect(await askReader({ kind: 'check', path, how: 'full' })).toContainEqual(expect.stringMatching(/by_text/))
  expect(steps).toEqual([
    { done: 0, all: 2 },
    { done: 1, all: 2 },
  ])
})

/** The reader processes that this process has started. */
function readers(): string[] {
  const children = readdirSync('/proc/self/task').flatMap((task) =>
    readFileSync(`/proc/self/task/${task}/children`, 'utf8').split(' '),
  )
  return children.filter((pid) => pid && commandOf(pid).includes('reader-process'))
}
/** Empty if it has ended meanwhile. */
function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
const showsChildren = existsSync(`/proc/self/task/${process.pid}/children`)
if (!showsChildren) console.warn('NOT RUN: the reader is kept, because this system does not list child processes.')

test.skipIf(!showsChildren)('one reader answers consecutive questions, and a dead one is replaced', async () => {
  const path = join(ownFolder(), 'a-file')
  writeFileSync(path, 'text')
  const digest = await askReader({ kind: 'digest', path })
  const there = readers()

  expect(there).not.toEqual([])
  expect(await askReader({ kind: 'digest', path })).toBe(digest)
  expect(there).toEqual(expect.arrayContaining(readers()))

  for (const pid of there) process.kill(Number(pid), 'SIGKILL')
  await expect.poll(() => there.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([])
  expect(await askReader({ kind: 'digest', path })).toBe(digest)
})

test('a backup streams its progress in lines on request, and the last line is the result', async () => {
  const service = await openTestService()
  const path = join(ownFolder(), 'vitae.db')
  const headers = {
    authorization: `Bearer ${service.service.admin.ownerToken}`,
    'content-type': 'application/json',
    accept: 'application/x-ndjson',
  }
  const make = () => service.get('/admin/v1/backups', headers, 'POST', JSON.stringify({ path }))

  const lines = (await make()).text.trim().split('\n')
  const refused = (await make()).text.trim().split('\n')

  expect(JSON.parse(lines[0] ?? '')).toEqual({
    progress: { step: 'copying', done: expect.any(Number), all: expect.any(Number) },
  })
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ result: { path, verified: true } })
  expect(JSON.parse(refused.at(-1) ?? '')).toEqual({ error: expect.stringMatching(/vitae\.db/) })
})
