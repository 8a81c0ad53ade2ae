import { overSqlite } from '../../harness/engines.ts'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { creditOperations } from '../../../src/credits/operations.ts'
import { openSqlite } from '../../../src/database/sqlite/connection/sqlite.ts'
import { backupWhenDue, openBackups } from '../../../src/lifecycle/backup/backups.ts'
import { restoreBackup } from '../../../src/app/restore-backup.ts'
import { operationsModule } from '../../../src/app/store/service-store.ts'
import { readConfig } from '../../../src/config/config.ts'
import { keptThread } from '../../harness/kept-threads.ts'
import { openTestService, type TestService } from '../../harness/test-service.ts'
import { reaching, runVitae } from '../../harness/run-vitae.ts'
import { placesOf } from '../../harness/search-bytes.ts'
import { marker, personOf } from '../subjects.ts'

function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-backup-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Calls without pauses until stopped; returns the answers with their times. */
function load(service: TestService, callers: number): { stop(): Promise<{ requestId: string; endedAt: number }[]> } {
  const answered: { requestId: string; endedAt: number }[] = []
  const state = { going: true }
  const caller = async (name: string) => {
    for (let index = 0; state.going; index++) {
      const answer = await service.person(`${name}-${index % 7}`, index % 5 === 0 ? '&bypass_cache=true' : '')
      expect(answer.status).toBe(200)
      answered.push({ requestId: answer.headers.get('x-request-id') ?? '', endedAt: Date.now() })
    }
  }
  const running = Array.from({ length: callers }, (_, index) => caller(`person-${index}`))
  return {
    async stop() {
      state.going = false
      await Promise.all(running)
      return answered
    },
  }
}

test('a backup under load restores to a valid ledger with every call that was answered before it began', async () => {
  const service = await openTestService({ credits: 1_000_000, realClock: true })
  const folder = ownFolder()
  const file = join(folder, 'vitae.db')
  const callers = load(service, 8)
  while (service.upstream.requests.length < 60) await service.person('warm')

  const made = await service.service.backups.make({ path: file, overwrite: false, actor: 'owner' })

  const answered = await callers.stop()
  expect(made).toMatchObject({ path: file, size: statSync(file).size })
  const restored = join(folder, 'restored')
  const secret = join(service.folder, 'secret-key')
  const wish = { file, secretKeyFile: secret, suppressionsFile: null, withoutDigest: false }
  const ran = await restoreBackup(wish, readConfig({ VITAE_DATA_DIR: restored }), { startThread: keptThread })
  expect(ran).toMatchObject({ entries: made.entries })
  const database = overSqlite(openSqlite(join(restored, 'vitae.db')))
  const { db } = database
  onTestFinished(() => db.destroy())
  expect(await creditOperations.verifyLedger(database)).toMatchObject({ ok: true })
  const calls = await db.selectFrom('calls').select('request_id').execute()
  const held = new Set(calls.map((call) => call.request_id))
  const began = made.madeAt
  const before = answered.filter((call) => call.endedAt < began)
  expect(before.length).toBeGreaterThan(50)
  expect(before.filter((call) => !held.has(call.requestId))).toEqual([])
  // Calls continue during the backup.
  expect(answered.filter((call) => call.endedAt > began).length).toBeGreaterThan(20)
})

test('an erasure during a backup still leaves no byte', async () => {
  const word = marker()
  const service = await openTestService()
  service.upstream.people.set(`ada-${word}`, personOf(`ada-${word}`, { headline: word }))
  await service.person(`ada-${word}`)
  const file = join(ownFolder(), 'vitae.db')

  const made = service.service.backups.make({ path: file, overwrite: false, actor: 'owner' })
  await service.admin('POST', `/records/people/ada-${word}/erase`, { reason: 'asked to' })

  expect(placesOf(word, service.folder)).toEqual([])
  await expect(made).resolves.toMatchObject({ path: file })
})

test('a backup is one file that only its owner may read, without the secret key', async () => {
  const service = await openTestService()
  await service.person('ada')
  const folder = ownFolder()
  const file = join(folder, 'vitae.db')

  const made = await service.service.backups.make({ path: file, overwrite: false, actor: 'owner' })

  expect(made).toMatchObject({ entities: 1, versions: 1 })
  expect(readdirSync(folder)).toEqual(['vitae.db'])
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(placesOf(service.service.lookup.secret, folder)).toEqual([])
  expect(placesOf(service.service.lookup.secret, service.folder)).toEqual([join(service.folder, 'secret-key')])
})

test('only an older backup can be overwritten, and only with --yes', async () => {
  const service = await openTestService()
  const folder = ownFolder()
  const file = join(folder, 'vitae.db')
  const letter = join(folder, 'letter.txt')
  writeFileSync(letter, 'dear reader')
  const { backups } = service.service
  await backups.make({ path: file, overwrite: false, actor: 'owner' })
  await service.person('ada')

  const refused = await runVitae(['backup', file], reaching(service))
  const replaced = await runVitae(['backup', file, '--yes', '--json'], reaching(service))

  expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('--yes') })
  expect(replaced).toMatchObject({ code: 0, json: { entities: 1 } })
  await expect(backups.make({ path: letter, overwrite: true, actor: 'owner' })).rejects.toThrow('is not a backup')
  expect(readdirSync(folder).toSorted()).toEqual(['letter.txt', 'vitae.db'])
})

test('a backup can be made without a running service', async () => {
  const service = await openTestService()
  await service.person('ada')
  await service.stop()
  const file = join(ownFolder(), 'vitae.db')

  const made = await runVitae(['backup', file, '--json'], { VITAE_DATA_DIR: service.folder })

  expect(made).toMatchObject({ code: 0, json: { entities: 1 } })
})

test('no backup may be in the data folder, where an erasure leaves no byte', async () => {
  const service = await openTestService()
  const inside = join(service.folder, 'backups')
  mkdirSync(inside)

  const wish = { path: join(inside, 'vitae.db'), overwrite: false, actor: 'owner' }
  await expect(service.service.backups.make(wish)).rejects.toThrow('inside the data folder')
  expect(() => readConfig({ VITAE_DATA_DIR: service.folder, VITAE_BACKUP_DIR: inside })).toThrow(/^VITAE_BACKUP_DIR is/)
})

test('with a configured backup folder none is written outside it, for any path', async () => {
  const outside = ownFolder()
  const dir = join(ownFolder(), 'kept')
  mkdirSync(dir)
  symlinkSync(outside, join(dir, 'link'))
  const service = await openTestService({ env: { VITAE_BACKUP_DIR: dir } })
  const make = (path: string) => service.admin('POST', '/backups', { path })

  for (const path of [join(outside, 'a.db'), `${dir}/../a.db`, join(dir, 'link', 'a.db'), `${dir}-beside.db`])
    await expect(make(path), path).rejects.toThrow('VITAE_BACKUP_DIR')
  await make(join(dir, 'by-hand.db'))

  expect(readdirSync(outside)).toEqual([])
  expect(readdirSync(dir).toSorted()).toEqual(['by-hand.db', 'link'])
})

test('on PostgreSQL the command names the alternative in one line', async () => {
  const service = await openTestService()
  const config = readConfig({ DATABASE_URL: 'postgres://vitae@127.0.0.1/vitae' })
  const backups = openBackups({ ...service.service, config, operationsModule })

  await expect(backups.make({ path: '/nowhere/vitae.db', overwrite: false, actor: 'owner' })).rejects.toThrow(/pg_dump/)
})

test.each([
  ['ledger', 'update environments set balance = balance + 1', /^The ledger does not verify: balance of/],
  ['audit log', "update audit set actor = 'somebody else' where id = 1", /^The audit log is broken at entry 1$/],
])('no backup is made of a store whose %s was changed by hand', async (_what, change, fault) => {
  const service = await openTestService()
  const [dir, store] = [ownFolder(), new DatabaseSync(join(service.folder, 'vitae.db'))]
  store.exec(change)
  store.close()

  const making = service.service.backups.make({ path: join(dir, 'vitae.db'), overwrite: false, actor: 'owner' })

  await expect(making).rejects.toThrow(fault)
  expect(readdirSync(dir)).toEqual([])
})

test('a scheduled backup is made when it is due, and the newest ones are kept', async () => {
  const dir = join(ownFolder(), 'kept')
  const env = { VITAE_BACKUP_DIR: dir, VITAE_BACKUP_EVERY: '6h', VITAE_BACKUP_KEEP: '2' }
  const service = await openTestService({ env })
  const config = readConfig({ VITAE_DATA_DIR: service.folder, ...env })
  const due = () => backupWhenDue({ ...service.service, config, operationsModule, startThread: keptThread })

  expect(await due()).not.toBeNull()
  service.clock.advance({ hours: 5 })
  expect(await due()).toBeNull()
  for (let day = 0; day < 3; day++) {
    service.clock.advance({ hours: 6 })
    expect(await due()).not.toBeNull()
  }

  const { backups } = await service.admin<{ backups: { made_at: string }[] }>('GET', '/backups')
  expect(backups.map((backup) => backup.made_at)).toEqual(['2026-11-15T08:30:00.000Z', '2026-11-15T02:30:00.000Z'])
  expect(readdirSync(dir)).toHaveLength(2)
})
