import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { unpack } from '../../../src/database/packing/pack.ts'
import { eraseSubject } from '../../../src/lifecycle/erasure/erase-subject.ts'
import { engines } from '../../harness/engines.ts'
import {
  asking,
  day,
  fetched,
  noon,
  openTestStore,
  secret,
  slugOf,
  writeReceipt,
  type TestStore,
} from '../../records/store-fixture.ts'

const by = { secret, reason: 'asked for it', actor: 'owner', at: noon + 10 * day }
/** Random, so that compression cannot hide it by accident. */
const marker = () => `marker${randomBytes(24).toString('base64url').replaceAll(/[-_]/g, 'x')}`

const embedded = engines.filter((engine) => engine.name === 'sqlite')
describe.each(embedded)('bytes on $name', (engine) => {
  test("no byte of an erased person is left in any file, compressed or not, nor of mentions in others' data", async () => {
    const fixture = await openTestStore(engine)
    const names = { slug: `ada-${marker()}`.toLowerCase(), opaque: `ACoAA${marker()}` }
    const planted = Array.from({ length: 7 }, marker)
    const [headline = '', older = '', raw = '', mention = '', prose = '', shared = '', missed = ''] = planted
    const name = marker().toLowerCase()
    const person = { slug: names.slug, number: 777_000_111, more: [{ type: 'opaque', value: names.opaque }] }
    // Neighbours before and after, so that pages split and rows move.
    const crowd = async (from: number) => {
      for (let index = from; index < from + 400; index++) {
        const slug = `${randomBytes(5).toString('hex')}-${index}`
        const payload = {
          slug,
          noise: randomBytes(700).toString('base64'),
          similar: [{ slug: `other-${index}`, name: 'Other' }],
        }
        await fixture.store.records.saveFetch(
          fetched({
            slug,
            number: 1_000_000 + index,
            payload,
            record: { headline: randomBytes(200).toString('base64') },
          }),
        )
      }
    }
    await crowd(0)
    await fixture.store.records.saveFetch(
      fetched({
        ...person,
        record: { headline: older },
        payload: { raw: older, big: randomBytes(40_000).toString('base64') + raw },
      }),
    )
    await crowd(400)
    await fixture.store.records.saveFetch({
      ...fetched({ ...person, at: noon + 1, record: { headline }, payload: { raw, shared } }),
      texts: { name, words: name },
    })
    await fixture.store.records.saveMiss({
      ...asking(slugOf(names.slug)),
      provider: 'mirror',
      at: noon + 2,
      status: 404,
      cost: null,
      durationMs: 1,
      payload: Buffer.from(missed),
    })
    const friend = {
      first_name: 'Bea',
      padding: 'x'.repeat(2_000),
      similar: [{ link: `https://www.linkedin.com/in/${names.slug}`, name: mention }],
      note: `met ${names.opaque} ${prose}`,
    }
    await fixture.store.records.saveFetch(fetched({ slug: 'bea', number: 2, payload: friend }))
    await writeReceipt(fixture, { requestId: 'r1', entityId: 1, versionId: 1, identifier: names.slug })
    const sought = [...planted, name, names.slug, names.opaque, '777000111']
    expect(hitsIn(fixture.folder!, sought, await blobs(fixture))).toEqual(sought)

    await eraseSubject(fixture.store, fixture.store.suppressionChanges, {
      kind: 'people',
      ref: { identifier: slugOf(names.slug) },
      ...by,
    })

    expect(hitsIn(fixture.folder!, sought, await blobs(fixture))).toEqual([])
    expect(await fixture.db.selectFrom('versions').selectAll().execute()).toHaveLength(801)
    await fixture.close()
  })

  test('a leftover copy of a deleted row in a page is found, and the file is rewritten without it', async () => {
    const fixture = await openTestStore(engine)
    for (let index = 0; index < 50; index++)
      await fixture.store.records.saveFetch(fetched({ slug: `bea-${index}`, number: 100 + index }))
    const slug = marker().toLowerCase()
    await fixture.store.records.saveFetch(fetched({ slug, number: 1 }))
    // Without secure_delete a deleted row stays in its page, as in a page that it once moved from.
    await sql`pragma secure_delete = off`.execute(fixture.db)
    await fixture.db.deleteFrom('aliases').where('value', '=', slug).execute()
    await sql`pragma secure_delete = on`.execute(fixture.db)
    await fixture.store.residue.checkpointLog({})
    expect(hitsIn(fixture.folder!, [slug], [])).toEqual([slug])
    const scan = (text: string) =>
      fixture.store.residue.scanResidue({
        deleted: { blobs: [], texts: [Buffer.from(`peopleslug${text}`)] },
        afterPage: 0,
        pages: 1_000,
      })
    expect((await scan(slug)).found).toBe(true)
    // Existing rows are not residue.
    expect(await scan('bea-7')).toMatchObject({ found: false, done: true })

    const report = await eraseSubject(fixture.store, fixture.store.suppressionChanges, {
      kind: 'people',
      ref: { identifier: slugOf(slug) },
      ...by,
    })
    expect(report.rewritten).toBe(true)
    expect(hitsIn(fixture.folder!, [slug], [])).toEqual([])
    await fixture.close()
  })

  test('a leftover copy with an overwritten beginning is found too', async () => {
    const fixture = await openTestStore(engine)
    const slug = marker().toLowerCase()
    await fixture.store.records.saveFetch(fetched({ slug, number: 1 }))
    await sql`pragma secure_delete = off`.execute(fixture.db)
    await fixture.db.deleteFrom('aliases').where('value', '=', slug).execute()
    await sql`pragma secure_delete = on`.execute(fixture.db)
    await fixture.store.residue.checkpointLog({})
    // As in a page that got more rows.
    const path = join(fixture.folder!, 'vitae.db')
    const bytes = readFileSync(path)
    const row = `peopleslug${slug}`
    for (let at = bytes.indexOf(row); at >= 0; at = bytes.indexOf(row)) bytes.fill(0, at, at + 'people'.length)
    writeFileSync(path, bytes)

    const report = await eraseSubject(fixture.store, fixture.store.suppressionChanges, {
      kind: 'people',
      ref: { identifier: slugOf(slug) },
      ...by,
    })

    expect(report.rewritten).toBe(true)
    expect(hitsIn(fixture.folder!, [slug], [])).toEqual([])
    await fixture.close()
  })
})

/** Every stored blob, decompressed. */
async function blobs(fixture: TestStore): Promise<Buffer[]> {
  const bodies = await fixture.db.selectFrom('versions').select('body').execute()
  const payloads = await fixture.db.selectFrom('payloads').select('bytes').execute()
  return [...bodies.map((row) => row.body), ...payloads.map((row) => row.bytes)].map((blob) =>
    Buffer.from(unpack(blob)),
  )
}

/** The words that occur in any file of the folder, or in any of the decompressed blobs. */
function hitsIn(folder: string, words: string[], opened: Buffer[]): string[] {
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name)))
  return words.filter((word) => [...files, ...opened].some((bytes) => bytes.includes(word)))
}
