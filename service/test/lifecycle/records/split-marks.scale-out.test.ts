import { describe, expect, test } from 'vitest'
import { moveStore } from '../../../src/lifecycle/backup/move-store.ts'
import { splitRecord } from '../../../src/lifecycle/records/split-record.ts'
import { hasEngines, openNode, ownDatabase, ownFolder } from '../../harness/scale-out-engine.ts'
import { day, fetched, noon, secret } from '../../records/store-fixture.ts'

type Node = Awaited<ReturnType<typeof openNode>>

async function save({ store }: Node, subject: Parameters<typeof fetched>[0]) {
  const saved = await store.records.saveFetch(fetched(subject))
  if (saved.suppressed) throw new Error('not saved')
  return saved
}

describe.skipIf(!hasEngines)('a moved store', () => {
  test('keeps people apart whom an operator has split, from PostgreSQL to SQLite and back', async () => {
    const [from, folder, to] = [await ownDatabase('empty'), ownFolder(), await ownDatabase('empty')]
    const before = await openNode(from, null)
    const guess = await save(before, { slug: 'mia-1' })
    await save(before, { slug: 'mia-1', number: 70_070, at: noon + day })
    const deps = { clock: { now: () => noon, elapsed: () => 0 }, secret, recordsChanged: async () => undefined }
    const ref = { identifier: { kind: 'people', type: 'slug', value: 'mia-1' } } as const
    const ask = { kind: 'people', ref, fetchIds: [guess.fetchId], reason: null, actor: 'owner' } as const
    const { kept, split } = await splitRecord({ ...deps, store: before.store }, { ...ask, fetchIds: [...ask.fetchIds] })
    await before.close()

    await moveStore({ from, to: folder })
    await moveStore({ from: folder, to })

    const after = await openNode(to, null)
    const derived = [kept, split].find(({ key }) => !key.startsWith('urn:li:'))?.key ?? ''
    const more = [{ type: 'urn', value: derived }]
    // Without the mark, the page that both have held would join them.
    const one = await save(after, {
      slug: 'mia-3',
      derivedKey: derived.slice('urn:vitae:person:'.length),
      more,
      at: noon + 2 * day,
    })
    const other = await save(after, { slug: 'mia-3', number: 70_070, at: noon + 3 * day })
    expect([one.key, other.key]).toEqual([derived, 'urn:li:member:70070'])
    expect(other.absorbed).toEqual([])
  })
})
