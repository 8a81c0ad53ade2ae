import {
  appendFileSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../../src/config/config.ts'
import { operationsModule } from '../../../src/app/store/service-store.ts'
import { openBackups } from '../../../src/lifecycle/backup/backups.ts'
import { restoreBackup } from '../../../src/app/restore-backup.ts'
import { readSuppressionFile } from '../../../src/lifecycle/suppression/suppression-file.ts'
import { keptThread } from '../../harness/kept-threads.ts'
import { openTestService, startTestService, type TestService } from '../../harness/test-service.ts'
import { ChildService, serve } from '../../harness/child-service.ts'
import { runVitae } from '../../harness/run-vitae.ts'
import { placesOf } from '../../harness/search-bytes.ts'
import { marker, personOf } from '../subjects.ts'

function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-restore-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const erase = (service: TestService, ref: string) =>
  service.admin('POST', `/records/people/${ref}/erase`, { reason: 'asked to' })

/** A service with a marked person, a backup of it, and then that person's erasure. */
async function erasedSinceBackup(word: string): Promise<{ service: TestService; file: string }> {
  const service = await openTestService()
  const file = join(ownFolder(), 'vitae.db')
  await eraseSinceBackup(service, word, file)
  return { service, file }
}

async function eraseSinceBackup(service: TestService, word: string, file: string): Promise<void> {
  service.upstream.people.set(`ada-${word}`, personOf(`ada-${word}`, { headline: `was ${word}` }))
  expect(await service.person(`ada-${word}`)).toMatchObject({ status: 200 })
  expect(await service.person('bea')).toMatchObject({ status: 200 })
  await service.service.backups.make({ path: file, overwrite: false, actor: 'owner' })
  await erase(service, `ada-${word}`)
}

/** For tests that change neither the service nor its backup. */
const shared = { word: marker(), folder: mkdtempSync(join(tmpdir(), 'vitae-restore-')), file: '' }
let first: TestService

beforeAll(async () => {
  first = await startTestService()
  shared.file = join(shared.folder, 'vitae.db')
  await eraseSinceBackup(first, shared.word, shared.file)
})
afterAll(async () => {
  await first.close()
  rmSync(shared.folder, { recursive: true, force: true })
})

/** The same as `vitae restore`, without a separate process. */
function restore(file: string, folder: string, secretKeyFile: string | null = null) {
  const wish = { file, secretKeyFile, suppressionsFile: null, withoutDigest: false }
  return restoreBackup(wish, readConfig({ VITAE_DATA_DIR: folder }), { startThread: keptThread })
}

/** A service on a restored folder, with the provider of the first one. */
async function serveFrom(folder: string, first: TestService): Promise<TestService> {
  const env = {
    VITAE_DATA_DIR: folder,
    VITAE_UPSTREAM: 'mirror',
    VITAE_MIRROR_URL: first.upstream.url,
    VITAE_MIRROR_KEY: first.upstream.key,
  }
  return openTestService({ env })
}

test('a restored older backup does not serve people erased since, and contains no byte of them', async () => {
  const { word, file } = shared
  expect(placesOf(word, join(file, '..')).length).toBeGreaterThan(0)
  const folder = join(ownFolder(), 'data')

  const restored = await runVitae(['restore', file, '--json'], { VITAE_DATA_DIR: folder })

  // Root gets a line about the owner of the files, and nothing else.
  expect(restored.stderr).toMatch(/^(vitae: the files in [^\n]* belong to root\.[^\n]*\n)?$/)
  expect(restored).toMatchObject({ code: 0, json: { erased_again: 1, entities: 1, ledger_verified: true } })
  expect(placesOf(word, folder)).toEqual([])
  const second = await serveFrom(folder, first)
  const asked = first.upstream.requests.length
  expect(await second.person(`ada-${word}`)).toMatchObject({ status: 404, json: { code: 'not_found' } })
  expect(first.upstream.requests).toHaveLength(asked)
  expect(await second.person('bea')).toMatchObject({ status: 200 })
  expect(await second.admin('GET', '/ledger/verify')).toMatchObject({ ok: true })
  expect(await second.admin('GET', '/audit/verify')).toMatchObject({ ok: true })
})

test('the erasures since a backup are found even if the whole data folder is lost', async () => {
  const word = marker()
  const { service, file } = await erasedSinceBackup(word)
  const secret = join(ownFolder(), 'secret-key')
  copyFileSync(join(service.folder, 'secret-key'), secret)
  await service.stop()
  rmSync(service.folder, { recursive: true })
  const folder = ownFolder()

  const restored = await runVitae(['restore', file, '--secret-key', secret, '--json'], { VITAE_DATA_DIR: folder })

  expect(restored).toMatchObject({
    code: 0,
    json: { erased_again: 1, suppression_lists: [`${file}.suppressions.ndjson`] },
  })
  expect(placesOf(word, folder)).toEqual([])
})

test.each([false, true])(
  'an erasure while a backup is made is found even if the data folder is lost; the backup replaces another one: %s',
  async (overwrite) => {
    const word = marker()
    const service = await openTestService()
    const { backups, store } = service.service
    service.upstream.people.set(`ada-${word}`, personOf(`ada-${word}`))
    await service.person(`ada-${word}`)
    const [file, secret] = [join(ownFolder(), 'vitae.db'), join(ownFolder(), 'secret-key')]
    if (overwrite) await backups.make({ path: file, overwrite, actor: 'owner' })
    const backupStore: typeof store.database.backupStore = async (args) => {
      await store.database.backupStore(args)
      await erase(service, `ada-${word}`)
    }
    const config = { backup: { dir: null, everyMs: 1, keep: 9 }, databaseUrl: null, dataDir: service.folder }
    const erasing = { ...store, database: { ...store.database, backupStore } }
    const deps = { ...service.service, store: erasing, operationsModule, config, startThread: keptThread }
    await openBackups(deps).make({ path: file, overwrite, actor: 'owner' })
    copyFileSync(join(service.folder, 'secret-key'), secret)
    await service.stop()
    rmSync(service.folder, { recursive: true })
    const folder = ownFolder()

    const { replayed } = await restore(file, folder, secret)

    expect(replayed).toMatchObject({ erased: 1 })
    expect(placesOf(word, folder)).toEqual([])
  },
)

test('an erased person who is only mentioned in an older backup is removed from it', async () => {
  const word = marker()
  const service = await openTestService()
  const similar = [{ public_identifier: `ada-${word}`, url: `https://www.linkedin.com/in/ada-${word}` }]
  service.upstream.people.set('bea', personOf('bea', { similar_people: similar }))
  await service.person('bea')
  const file = join(ownFolder(), 'vitae.db')
  await service.service.backups.make({ path: file, overwrite: false, actor: 'owner' })
  await service.person(`ada-${word}`)
  await erase(service, `ada-${word}`)
  const folder = ownFolder()

  const { replayed } = await restore(file, folder)

  expect(replayed).toMatchObject({ erased: 0, redacted: 1 })
  expect(placesOf(word, folder)).toEqual([])
})

test('an erased person who is only mentioned by an opaque id of any type is removed', async () => {
  const word = marker()
  const ids = ['ACoAA', 'ACwAA', 'AEMAA'].map((prefix) => `${prefix}${word.padEnd(34, '0')}`)
  const service = await openTestService()
  const leads = ids.map((id) => ({ lead: `urn:li:fs_salesProfile:(${id},OUT,x)` }))
  service.upstream.people.set('bea', personOf('bea', { leads }))
  await service.person('bea')
  const file = join(ownFolder(), 'vitae.db')
  await service.service.backups.make({ path: file, overwrite: false, actor: 'owner' })
  for (const [index, id] of ids.entries()) {
    service.upstream.people.set(`ada-${index}`, personOf(`ada-${index}`, { entity_urn: `urn:li:fsd_profile:${id}` }))
    await service.person(`ada-${index}`)
    await erase(service, `ada-${index}`)
  }
  const folder = ownFolder()

  const { replayed } = await restore(file, folder)

  expect(replayed).toMatchObject({ erased: 0 })
  expect(placesOf(word, folder)).toEqual([])
})

test('without the secret key nothing is restored if someone was erased', async () => {
  const { service, file } = await erasedSinceBackup(marker())
  await service.stop()
  rmSync(service.folder, { recursive: true })
  const folder = ownFolder()
  const wrong = join(ownFolder(), 'wrong')
  writeFileSync(wrong, 'another-secret-key-altogether\n')

  await expect(restore(file, folder)).rejects.toThrow('--secret-key')
  await expect(restore(file, folder, wrong)).rejects.toThrow('does not belong to the service')
})

test('without the secret key a backup is restored if nobody was ever erased, and the missing list is reported', async () => {
  const service = await openTestService()
  await service.person('bea')
  const file = join(ownFolder(), 'vitae.db')
  await service.service.backups.make({ path: file, overwrite: false, actor: 'owner' })
  await service.stop()
  rmSync(service.folder, { recursive: true })
  const folder = ownFolder()

  const restored = await runVitae(['restore', file, '--json'], { VITAE_DATA_DIR: folder })

  expect(restored).toMatchObject({ code: 0, stderr: expect.stringContaining('no suppressions.ndjson was found') })
  const second = await serveFrom(folder, service)
  expect((await second.admin<{ records: unknown[] }>('GET', '/records?text=bea')).records).toHaveLength(1)
})

test('a folder with any content is not restored into', async () => {
  const folder = ownFolder()
  writeFileSync(join(folder, 'secret-key'), 'of another service')

  await expect(restore(shared.file, folder)).rejects.toThrow('is not empty')

  expect(readFileSync(join(folder, 'secret-key'), 'utf8')).toBe('of another service')
})

/** Damaged backups, made from a valid one. */
const damages: [string, (file: string) => void][] = [
  ['an empty file', (file) => truncateSync(file, 0)],
  ['a backup that is cut short', (file) => truncateSync(file, 200_000)],
  ['a backup whose last byte is missing', (file) => truncateSync(file, statSync(file).size - 1)],
  ['a backup without its digest', (file) => truncateSync(file, statSync(file).size - 102)],
  ['a backup to which something was added', (file) => appendFileSync(file, 'more')],
  ['a text', (file) => writeFileSync(file, 'dear reader\n'.repeat(1_000))],
  ['a SQLite file of another program', foreignFile],
  ...[0.1, 0.35, 0.6, 0.85].map((part): [string, (file: string) => void] => [
    `a backup with 64 bytes overwritten at ${part}`,
    (file) => overwrite(file, part),
  ]),
]

function foreignFile(file: string): void {
  rmSync(file)
  const store = new DatabaseSync(file)
  store.exec('create table settings (name text, value text); create table audit (id integer)')
  store.close()
}

function overwrite(file: string, part: number): void {
  const bytes = readFileSync(file)
  const at = Math.floor(bytes.length * part)
  bytes.set(Buffer.alloc(64, 'vitae'), at)
  writeFileSync(file, bytes)
}

test.each(damages)('%s is neither restored nor verified', async (_name, damage) => {
  const dir = ownFolder()
  const file = join(dir, 'vitae-20261114T093000Z.db')
  copyFileSync(shared.file, file)
  damage(file)
  const folder = ownFolder()
  const config = { backup: { dir, everyMs: 1, keep: 9 }, databaseUrl: null, dataDir: first.folder }

  const checked = await openBackups({ ...first.service, operationsModule, config, startThread: keptThread }).verify(
    'vitae-20261114T093000Z.db',
  )

  expect(checked).toMatchObject({ ok: false, fault: expect.stringMatching(/^It .+\.$/) })
  await expect(restore(file, folder)).rejects.toThrow(/was not restored\. It .+\.$/)
  expect(readdirSync(folder).filter((name) => name !== 'service.lock')).toEqual([])
  expect(readdirSync(dir)).toEqual(['vitae-20261114T093000Z.db'])
})

test('for a damaged backup the command exits with 1 and one line, and the folder stays usable', async () => {
  const dir = ownFolder()
  const file = join(dir, 'vitae-20261114T093000Z.db')
  copyFileSync(shared.file, file)
  overwrite(file, 0.5)
  const folder = ownFolder()

  const restored = await runVitae(['restore', file], { VITAE_DATA_DIR: folder })
  const env = { VITAE_DATA_DIR: folder, VITAE_BACKUP_DIR: dir }
  const checked = await runVitae(['backups', 'verify', basename(file), '--json'], env)

  expect(restored.code).toBe(1)
  expect(restored.stderr.trim().split('\n')).toHaveLength(1)
  expect(checked).toMatchObject({ code: 1, json: { ok: false, fault: expect.stringContaining('digest') } })
  await expect(serveFrom(folder, first)).resolves.toBeDefined()
})

test('a backup from before digests is restored with an explicit option, if it is otherwise complete', async () => {
  const file = join(ownFolder(), 'vitae.db')
  copyFileSync(shared.file, file)
  truncateSync(file, statSync(file).size - 102)
  const folder = ownFolder()

  const restored = await runVitae(['restore', file, '--without-digest', '--json'], { VITAE_DATA_DIR: folder })
  truncateSync(file, statSync(file).size - 4_096)
  const refused = await runVitae(['restore', file, '--without-digest'], { VITAE_DATA_DIR: ownFolder() })

  expect(restored).toMatchObject({ code: 0, json: { ledger_verified: true } })
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('cut short') })
})

test('an unfinished restore blocks serving until it is run again', async () => {
  const { file } = shared
  const folder = ownFolder()
  copyFileSync(file, join(folder, 'vitae.db'))
  writeFileSync(join(folder, 'restore.pending'), '{}')

  await expect(serveFrom(folder, first)).rejects.toThrow(/unfinished restore/)
  const served = await runVitae(['ledger', 'verify'], { VITAE_DATA_DIR: folder })
  const { replayed } = await restore(file, folder)

  expect(served).toMatchObject({ code: 1, stderr: expect.stringContaining('restore') })
  expect(replayed).toMatchObject({ erased: 1 })
  await expect(serveFrom(folder, first)).resolves.toBeDefined()
})

test('an older store that was copied into the folder by hand is cleaned before it is served', async () => {
  const word = marker()
  const { service, file } = await erasedSinceBackup(word)
  await service.stop()
  copyFileSync(file, join(service.folder, 'vitae.db'))

  await service.start()

  expect(await service.person(`ada-${word}`)).toMatchObject({ status: 404 })
  expect(placesOf(word, service.folder)).toEqual([])
})

test('a start that was interrupted while it cleaned an older store is finished by the next one', async () => {
  const word = marker()
  const { service, file } = await erasedSinceBackup(word)
  await service.stop()
  const path = join(service.folder, 'vitae.db')
  copyFileSync(file, path)
  const runInStore = (statement: string) => {
    const store = new DatabaseSync(path)
    store.exec(statement)
    store.close()
  }
  runInStore("create trigger broken before delete on versions begin select raise(abort, 'broken'); end")
  await expect(service.start()).rejects.toThrow('broken')
  runInStore('drop trigger broken')

  await service.start()

  expect(await service.person(`ada-${word}`)).toMatchObject({ status: 404 })
  expect(placesOf(word, service.folder)).toEqual([])
})

test('the suppression file and the store agree after every kind of change', async () => {
  const service = await openTestService()
  await service.person('olympia')
  await erase(service, 'olympia')
  await service.admin('POST', '/suppressions', { kind: 'people', ids: ['tybalt', 'quillon'] })
  await service.admin('POST', '/suppressions/remove', { kind: 'people', ids: ['quillon'] })
  await service.admin('POST', '/suppressions/import', { kind: 'companies', origin: 'optout', ids: ['wyrm-works'] })

  const path = join(service.folder, 'suppressions.ndjson')
  const kept = await readSuppressionFile(path)

  const store = new DatabaseSync(join(service.folder, 'vitae.db'), { readOnly: true })
  const rows = store.prepare('select hash, kind, origin from suppressions order by hash').all()
  store.close()
  expect(rows.length).toBeGreaterThan(3)
  const written = [...(kept?.items.values() ?? [])].map(({ hash, kind, origin }) => ({ hash, kind, origin }))
  expect(written.toSorted((a, b) => (a.hash < b.hash ? -1 : 1))).toEqual(rows.map((row) => ({ ...row })))
  expect(readFileSync(path, 'utf8')).not.toMatch(/olympia|tybalt|quillon|wyrm/)
})

test('a suppression line cut off by a power failure affects no other', async () => {
  const service = await openTestService()
  await service.admin('POST', '/suppressions', { kind: 'people', ids: ['tybalt'] })
  await service.stop()
  const path = join(service.folder, 'suppressions.ndjson')
  appendFileSync(path, '{"hash":"abc')

  await service.start()
  await service.admin('POST', '/suppressions', { kind: 'people', ids: ['quillon'] })

  expect((await readSuppressionFile(path))?.items.size).toBe(2)
})

test('the service does not start with another secret key if someone was erased', async () => {
  const { service } = await erasedSinceBackup(marker())
  await service.stop()
  writeFileSync(join(service.folder, 'secret-key'), 'another-secret-key-altogether\n')

  await expect(service.start()).rejects.toThrow(/secret-key does not contain the secret of this store/)
})

test('a restored service lists the paused work at its start, and resumes it on request', async () => {
  const service = await openTestService()
  const webhook = {
    project: 'demo',
    environment: 'production',
    url: 'https://hooks.example.com/',
    events: ['credits.low'],
  }
  await service.admin('POST', '/projects', { name: webhook.project, environments: ['production'] })
  await service.admin('POST', '/webhooks', webhook)
  const file = join(ownFolder(), 'vitae.db')
  await service.service.backups.make({ path: file, overwrite: false, actor: 'owner' })
  const folder = join(ownFolder(), 'data')
  const startWith = async (...flags: string[]) => {
    const child = new ChildService([...serve, ...flags], { VITAE_DATA_DIR: folder, LOG_LEVEL: 'info' })
    await child.url
    return (await child.stop('SIGTERM')).stderr
  }

  const restored = await runVitae(['restore', file, '--json'], { VITAE_DATA_DIR: folder })
  const said = [await startWith(), await startWith('--resume-work'), await startWith()]

  expect(restored).toMatchObject({ code: 0, json: { work_stopped: true } })
  expect(restored.stderr).toContain('vitae serve --resume-work')
  expect(said.map((text) => text.includes('batches, watches and webhooks are stopped'))).toEqual([true, false, false])
})
