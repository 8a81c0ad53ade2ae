import { createHash, type Hash } from 'node:crypto'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { auditOperations } from '../../src/audit/audit-operations.ts'
import { creditOperations } from '../../src/credits/operations.ts'
import { openSqlite, openToRead } from '../../src/database/sqlite/connection/sqlite.ts'
import { noteFold } from '../../src/records/versions/fold-rows.ts'
import { damageOf } from '../../src/database/sqlite/reader/check-file.ts'
import { readBackup } from '../../src/database/sqlite/reader/read-backup.ts'
import { readParts } from '../../src/records/body/record-bytes.ts'
import { checkedColumns } from '../../src/database/packing/row-checksum.ts'
import { unpack } from '../../src/database/packing/pack.ts'
import { overSqlite } from '../harness/engines.ts'
import { startTestService, type TestService } from '../harness/test-service.ts'
import { Random } from '../simulation/world/random.ts'

const positions = process.env['VITAE_TEST_LONG'] === '1' ? 200 : 20
const random = new Random(Number(process.env['VITAE_TEST_SEED']))
const rots = { bit: 1, 'of 64 bytes': 64 } as const

const folder = mkdtempSync(join(tmpdir(), 'vitae-rot-'))
const [file, backup] = [join(folder, 'vitae.db'), join(folder, 'backup.db')]
let service: TestService
let sound: { store: Buffer; backup: Buffer; contents: Map<string, string> }

beforeAll(async () => {
  service = await startTestService({ credits: 1_000, onLogLine: () => undefined })
  for (let number = 0; number < 30; number++) await service.person(`person-${number}`)
  for (let number = 0; number < 10; number++) await service.company(`company-${number}`)
  for (let number = 0; number < 24; number++)
    await service.person(`person-${number}`, '', number % 4 ? {} : marked(number))
  await service.admin('POST', '/records/people/person-29/erase', { reason: 'asked for it' })
  await service.service.backups.make({ path: backup, overwrite: false, actor: 'owner' })
  await service.stop()
  const database = overSqlite(openSqlite(join(service.folder, 'vitae.db')))
  await noteFold(database, {
    versionId: 1,
    fills: [{ unit: 'summary', versionId: 2, provider: 'mirror', fetchedAt: 1_000 }],
  })
  await database.db.destroy()
  copyFileSync(join(service.folder, 'vitae.db'), file)
  sound = { store: readFileSync(file), backup: readFileSync(backup), contents: contents() }
})
afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true, force: true })
})

function marked(number: number) {
  return { 'X-Spend-Tag': 'tag', 'Idempotency-Key': `key-${number}` }
}

/** One flipped bit, or 64 random bytes, at a random position. */
function rot(bytes: Buffer, length: number): Buffer {
  const damaged = Buffer.from(bytes)
  const at = random.below(bytes.length - length)
  if (length === 1) damaged[at] = (damaged[at] ?? 0) ^ (1 << random.below(8))
  else for (let index = 0; index < length; index++) damaged[at + index] = random.below(256)
  return damaged
}

/** A digest of each column, with records unpacked as a reader unpacks them. */
function contents(): Map<string, string> {
  const store = new DatabaseSync(file, { readOnly: true })
  const hashes = new Map<string, Hash>()
  try {
    const tables = store.prepare("select name from sqlite_schema where type = 'table' order by name").all()
    for (const { name } of tables)
      for (const row of store.prepare(`select * from "${String(name)}"`).iterate())
        for (const [column, value] of Object.entries(row)) {
          const place = `${String(name)}.${column}`
          const hash = hashes.get(place) ?? createHash('sha1')
          hashes.set(place, hash.update(value instanceof Uint8Array ? readBlob(place, value) : `${String(value)} `))
        }
  } finally {
    store.close()
  }
  return new Map(Array.from(hashes, ([place, hash]) => [place, hash.digest('hex')]))
}

function readBlob(place: string, bytes: Uint8Array): Uint8Array {
  return place === 'versions.body' || place === 'payloads.bytes' ? unpack(bytes) : bytes
}

/** Whether `backups verify` (pages, indexes, records), `ledger verify`, `audit verify` or the read fails. */
async function isNoticed(): Promise<boolean> {
  if (damageOf({ path: file, how: 'full' }, () => undefined).length > 0) return true
  const database = overSqlite({ db: openToRead(file) })
  try {
    if (!(await creditOperations.verifyLedger(database)).ok) return true
    return (await auditOperations.verifyAudit(database, { afterId: 0, limit: 5_000 })).brokenAt !== null
  } catch {
    return true
  } finally {
    await database.db.destroy()
  }
}

/** Whether every version can be cut: offsets that do not fit their body fail the call. */
function isReadable(): boolean {
  const store = new DatabaseSync(file, { readOnly: true })
  try {
    for (const { body, parts } of store.prepare('select body, parts from versions').iterate())
      if (parts !== null) readParts(String(parts), unpack(body as Uint8Array))
    return true
  } catch {
    return false
  } finally {
    store.close()
  }
}

/** Columns with a sum, a chain, an index or a second copy. Decision 107 lists those with nothing. */
const proven =
  /^(versions\.(body|parts)|payloads\.bytes|environments\.(balance|held)|holds\.amount|entities\.version_id|audit\.\w+|keys\.hash)$/
const checked = new Set(
  Object.entries(checkedColumns).flatMap(([table, columns]) => columns.map((column) => `${table}.${column}`)),
)

describe.each(Object.entries(rots))('after one rotten %s', (_name, length) => {
  test('nothing that callers are served or charged by is wrong without notice', async () => {
    const missed: string[] = []
    for (let position = 0; position < positions; position++) {
      writeFileSync(file, rot(sound.store, length))
      if ((await isNoticed()) || !isReadable()) continue
      const found = contents()
      missed.push(...[...sound.contents].filter(([place, hash]) => found.get(place) !== hash).map(([place]) => place))
    }

    expect(missed.filter((place) => checked.has(place) || proven.test(place))).toEqual([])
  })

  test('no backup is taken for sound', async () => {
    for (let position = 0; position < positions; position++) {
      writeFileSync(backup, rot(sound.backup, length))

      const { digest, fault } = await readBackup(backup).catch((error: unknown) => ({ digest: null, fault: error }))

      expect(digest === 'fits' && fault === null).toBe(false)
    }
  })
})

test('a sound store has no damage', async () => {
  writeFileSync(file, sound.store)

  expect(await isNoticed()).toBe(false)
})

test('a backup of the version before checksums of rows has no damage', async () => {
  writeFileSync(file, sound.store)
  const store = new DatabaseSync(file)
  for (const table of Object.keys(checkedColumns)) store.exec(`alter table ${table} drop column checksum`)
  store.close()

  expect(await isNoticed()).toBe(false)
})

test.each([
  ...Object.entries(checkedColumns).map(([table, columns]) => [`${table}.${columns.at(-1)}`, '7'] as const),
  ['calls.kind', 'cast(kind as blob)'],
  ['entities.version_id', '7'],
] as const)('a changed value of %s is noticed', async (place, value) => {
  const [table, column] = place.split('.')
  writeFileSync(file, sound.store)
  const store = new DatabaseSync(file)
  const written = table === 'entities' ? 'version_id' : 'checksum'
  store.exec(
    `update ${table} set ${column} = ${value} where rowid = (select max(rowid) from ${table} where ${written} is not null)`,
  )
  store.close()

  expect(await isNoticed()).toBe(true)
})

test('a record whose bytes have changed is not served, and costs nothing', async () => {
  const store = new DatabaseSync(join(service.folder, 'vitae.db'))
  const { id, body } = store.prepare('select id, body from versions order by id desc limit 1').get() ?? {}
  const changed = Buffer.from(body as Uint8Array)
  const middle = Math.floor(changed.length / 2)
  changed[middle] = (changed[middle] ?? 0) ^ 1
  store.prepare('update versions set body = ? where id = ?').run(changed, id ?? null)
  store.close()
  await service.start()
  const before = await service.balance()

  const { status } = await service.company('company-9')

  expect(status).toBe(500)
  expect(await service.balance()).toEqual(before)
})
