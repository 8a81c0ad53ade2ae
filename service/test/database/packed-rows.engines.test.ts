import { hash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { constants, zstdCompressSync } from 'node:zlib'
import type { Kysely } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { contractPerson } from '../../fake-provider/contract-person.ts'
import { dictionary } from '../../src/database/packing/dictionary.ts'
import { unpack } from '../../src/database/packing/pack.ts'
import { openToRead } from '../../src/database/sqlite/connection/sqlite.ts'
import type { Tables } from '../../src/database/tables/tables.ts'
import { moveStore } from '../../src/lifecycle/backup/move-store.ts'
import { engines } from '../harness/engines.ts'
import { fetched, openTestStore, type TestStore } from '../records/store-fixture.ts'

const params = { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 }
const packedBefore = (bytes: Uint8Array) => zstdCompressSync(unpack(bytes), { params })

/** A stored person, whose rows are packed without a dictionary as earlier versions packed them. */
async function personOfBefore({ db, store }: TestStore, slug: string) {
  const record = contractPerson(slug)
  const saved = await store.records.saveFetch(fetched({ slug, record }))
  if (saved.suppressed) throw new Error('nobody is suppressed here')
  const { versionId, fetchId } = saved
  const version = await db.selectFrom('versions').select('body').where('id', '=', versionId).executeTakeFirstOrThrow()
  const body = packedBefore(version.body)
  await db.updateTable('versions').set({ body }).where('id', '=', versionId).execute()
  for (const payload of await db.selectFrom('payloads').selectAll().execute()) {
    const bytes = packedBefore(payload.bytes)
    await db.updateTable('payloads').set({ bytes }).where('hash', '=', payload.hash).execute()
  }
  return { versionId, fetchId, record }
}

async function packedSizes(db: Kysely<Tables>): Promise<number[]> {
  const bodies = await db.selectFrom('versions').select('body as bytes').execute()
  const payloads = await db.selectFrom('payloads').select('bytes').execute()
  return [...bodies, ...payloads].map(({ bytes }) => bytes.length)
}

const textOf = (bytes: Uint8Array | null | undefined) => JSON.parse(Buffer.from(bytes ?? []).toString()) as unknown

test('the dictionary is the one that stored rows were packed with', () => {
  expect(hash('sha256', dictionary)).toBe('d7c9247cbd89196498dcda0591c053765fd7ba49a9767a4602cca0c8707f4dd4')
})

describe.each(engines)('on $name', (engine) => {
  test('rows of earlier versions are read, and new ones take less space', async () => {
    const fixture = await openTestStore(engine)
    onTestFinished(() => fixture.close())

    const { versionId, fetchId, record } = await personOfBefore(fixture, 'ada')

    expect(textOf((await fixture.store.records.readVersion({ versionId }))?.body)).toMatchObject(record)
    expect(textOf((await fixture.store.entities.rawPayload({ fetchId }))?.payload)).toMatchObject(record)
    const before = Math.max(...(await packedSizes(fixture.db)))
    await fixture.store.records.saveFetch(fetched({ slug: 'bea', record: contractPerson('bea') }))
    expect(Math.min(...(await packedSizes(fixture.db)))).toBeLessThan(0.75 * before)
  })
})

const embedded = engines.filter(({ name }) => name === 'sqlite')
describe.each(embedded)('vitae store move on $name', (engine) => {
  test('packs rows of earlier versions as new ones, and keeps a damaged row as it is', async () => {
    const fixture = await openTestStore(engine)
    onTestFinished(() => fixture.close())
    const { versionId, record } = await personOfBefore(fixture, 'ada')
    const [size = 0] = await packedSizes(fixture.db)
    const damaged = await personOfBefore(fixture, 'bea')
    const rotten = Buffer.alloc(1_000)
    await fixture.db.updateTable('versions').set({ body: rotten }).where('id', '=', damaged.versionId).execute()
    const to = mkdtempSync(join(tmpdir(), 'vitae-moved-'))
    onTestFinished(() => rmSync(to, { recursive: true, force: true }))

    await moveStore({ from: fixture.folder ?? '', to })

    const moved = openToRead(join(to, 'vitae.db'))
    onTestFinished(() => moved.destroy())
    const bodies = await moved.selectFrom('versions').select(['id', 'body']).execute()
    const bodyOf = (id: number) => Buffer.from(bodies.find((row) => row.id === id)?.body ?? [])
    expect(textOf(unpack(bodyOf(versionId)))).toMatchObject(record)
    expect(bodyOf(versionId).length).toBeLessThan(0.75 * size)
    expect(bodyOf(damaged.versionId)).toEqual(rotten)
  })
})
