import { expect, test } from 'vitest'
import { RecordCache, type ReadyRecord } from '../../src/lookup/recall/record-cache.ts'

const bodyBytes = 10_000

function record(entityId: number, { versionId = entityId, bytes = bodyBytes } = {}): ReadyRecord {
  const origin = { fetchId: null, provider: 'mirror', fetchedAt: 0, sourceUpdatedAt: null, thin: false }
  return {
    kind: 'people',
    entityId,
    key: `urn-${entityId}`,
    versionId,
    ...origin,
    body: Buffer.alloc(bytes),
    parts: {},
  }
}

test('all cached bytes count: any number of records stays within the limit', () => {
  const cache = new RecordCache(20 * bodyBytes)
  for (let id = 1; id <= 1_000; id++) {
    for (const name of [`slug-${id}`, `urn-${id}`]) cache.set(name, record(id), cache.generation)
    expect(cache.bytesHeld).toBeLessThanOrEqual(20 * bodyBytes)
  }

  const kept = Array.from({ length: 1_000 }, (_, index) => index + 1).filter((id) => cache.get(`slug-${id}`))
  expect(kept.length).toBeGreaterThan(15)
  expect(kept.every((id) => id > 980 && cache.get(`urn-${id}`) === cache.get(`slug-${id}`))).toBe(true)
})

test('a name that has moved to another record stays with it when the first one is evicted', () => {
  const cache = new RecordCache(20 * bodyBytes)
  cache.set('ada', record(1), cache.generation)
  cache.set('ada', record(2), cache.generation)
  cache.forgetEntity(1)

  expect(cache.get('ada')?.entityId).toBe(2)
})

test('a record with many names is cached under the latest of them', () => {
  const cache = new RecordCache(20 * bodyBytes)
  for (let name = 0; name < 100; name++) cache.set(`name-${name}`, record(1), cache.generation)

  const known = Array.from({ length: 100 }, (_, name) => name).filter((name) => cache.get(`name-${name}`))
  expect(known).toEqual(Array.from({ length: 16 }, (_, index) => 84 + index))
})

test('an older version does not replace a newer one, and a too large one is not cached', () => {
  const cache = new RecordCache(20 * bodyBytes)
  cache.set('ada', record(1, { versionId: 7 }), cache.generation)
  cache.set('countess', record(1, { versionId: 6 }), cache.generation)
  cache.set('long', record(2, { bytes: 30 * bodyBytes }), cache.generation)

  expect(cache.get('countess')?.versionId).toBe(7)
  expect(cache.get('long')).toBeUndefined()
})

test('a new version that arrived during a withdrawal is not cached, and neither is the previous one', () => {
  const cache = new RecordCache(20 * bodyBytes)
  cache.set('ada', record(1, { versionId: 6 }), cache.generation)
  cache.set('bea', record(2), cache.generation)
  const before = cache.generation
  cache.forgetAlias('nobody')
  cache.moved('ada', record(1, { versionId: 7 }), [], before)
  // A read that started before the version was written must not restore the older one.
  cache.set('ada', record(1, { versionId: 6 }), before + 1)

  expect(cache.get('ada')).toBeUndefined()
  expect(cache.get('bea')?.entityId).toBe(2)
  // The name must not return its previous holder once it belongs to somebody else.
  cache.moved('bea', record(3), [], before)
  expect(cache.get('bea')).toBeUndefined()
})
