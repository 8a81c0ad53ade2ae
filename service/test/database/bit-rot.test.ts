import { createHash, type Hash } from 'node:crypto'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { auditOperations } from '../../src/audit/audit-operations.ts'
import { creditOperations } from '../../src/credits/operations.ts'
import { openToRead } from '../../src/database/sqlite/connection/sqlite.ts'
import { damageOf } from '../../src/database/sqlite/reader/check-file.ts'
import { readBackup } from '../../src/database/sqlite/reader/read-backup.ts'
import { readParts } from '../../src/records/body/record-bytes.ts'
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
  for (let number = 0; number < 60; number++) await service.person(`person-${number}`)
  for (let number = 0; number < 20; number++) await service.company(`company-${number}`)
  await service.service.backups.make({ path: backup, overwrite: false, actor: 'owner' })
  await service.stop()
  copyFileSync(join(service.folder, 'vitae.db'), file)
  sound = { store: readFileSync(file), backup: readFileSync(backup), contents: contents() }
})
afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true, force: true })
})

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

/** Other columns have neither a checksum nor a second copy or a sum: see decision 107. */
const proven =
  /^(versions\.(body|parts)|payloads\.bytes|environments\.(balance|held)|ledger_entries\.(account_id|kind|amount)|holds\.amount|audit\.\w+|keys\.hash)$/

describe.each(Object.entries(rots))('after one rotten %s', (_name, length) => {
  test('no record, payload, balance or payment of the store is wrong without notice', async () => {
    const missed: string[] = []
    for (let position = 0; position < positions; position++) {
      writeFileSync(file, rot(sound.store, length))
      if ((await isNoticed()) || !isReadable()) continue
      const found = contents()
      missed.push(...[...sound.contents].filter(([place, hash]) => found.get(place) !== hash).map(([place]) => place))
    }

    expect(missed.filter((place) => proven.test(place))).toEqual([])
  })

  test('no backup is taken for sound', async () => {
    for (let position = 0; position < positions; position++) {
      writeFileSync(backup, rot(sound.backup, length))

      const { digest, fault } = await readBackup(backup).catch((error: unknown) => ({ digest: null, fault: error }))

      expect(digest === 'fits' && fault === null).toBe(false)
    }
  })
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

  const { status } = await service.company('company-19')

  expect(status).toBe(500)
  expect(await service.balance()).toEqual(before)
})
