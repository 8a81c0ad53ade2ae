import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findRef, type Ref } from '../../../src/records/identifiers/find-ref.ts'
import { engines, type TestDatabase } from '../../harness/engines.ts'
import { parseRef } from '../../../src/records/identifiers/parse-identifier.ts'

const hosts = ['linkedin.com']

describe.each(engines)("an operator's input finds an entity on $name", (engine) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await engine.open()
    await add('people', 'urn:li:member:7', [
      ['urn', 'urn:li:member:7'],
      ['urn', 'urn:li:member:6'],
      ['slug', 'ada'],
    ])
    await add('companies', '7', [
      ['id', '7'],
      ['slug', 'acme'],
    ])
    await add('companies', 'vitae-00ff00ff00ff00ff', [
      ['id', 'vitae-00ff00ff00ff00ff'],
      ['slug', 'ada'],
    ])
  })
  afterAll(() => database.close())

  async function add(kind: 'people' | 'companies', key: string, names: [type: string, value: string][]) {
    const nothing = { version_id: null, provider: null, name: null, words: null, used_at: null }
    const { id } = await database.db
      .insertInto('entities')
      .values({ kind, key, derived: 0, created_at: 0, ...nothing })
      .returning('id')
      .executeTakeFirstOrThrow()
    const about = { kind, entity_id: id, withdrawn: 1, not_found_at: null, seen_at: 0 }
    await database.db
      .insertInto('aliases')
      .values(names.map(([type, value]) => ({ ...about, type, value })))
      .execute()
  }

  const found = async (kind: 'people' | 'companies' | undefined, ref: Ref) => {
    const row = await findRef(database.db, kind, ref)
    return row && [row.kind, row.key]
  }
  const written = (kind: 'people' | 'companies', text: string) => found(kind, parseRef(kind, text, hosts))
  const ada = ['people', 'urn:li:member:7']

  test('by its durable key, a former key, a slug and a URL, even while its copy is withdrawn', async () => {
    expect(await written('people', 'urn:li:member:7')).toEqual(ada)
    expect(await written('people', 'urn:li:member:6')).toEqual(ada)
    expect(await written('people', 'Ada')).toEqual(ada)
    expect(await written('people', 'https://www.linkedin.com/in/ada/')).toEqual(ada)
    expect(await written('companies', '7')).toEqual(['companies', '7'])
    expect(await written('companies', 'vitae-00ff00ff00ff00ff')).toEqual(['companies', 'vitae-00ff00ff00ff00ff'])
  })

  test('a name of one kind finds nobody of the other, and a name of one type nobody by another', async () => {
    expect(await written('companies', 'ada')).toEqual(['companies', 'vitae-00ff00ff00ff00ff'])
    expect(await written('people', 'acme')).toBeNull()
    expect(await found('people', { key: '7' })).toBeNull()
    expect(await found('people', { identifier: { kind: 'people', type: 'urn', value: 'ada' } })).toBeNull()
    expect(await found('companies', { identifier: { kind: 'people', type: 'slug', value: 'ada' } })).toBeNull()
  })

  test('the result is the entity alone, without the alias that found it', async () => {
    const row = await findRef(database.db, 'companies', { key: '7' })
    expect(Object.keys(row ?? {})).toEqual(expect.arrayContaining(['id', 'key', 'version_id']))
    expect(Object.keys(row ?? {})).not.toContain('entity_id')
  })

  test('without a kind a key is searched among people, then among companies', async () => {
    expect(await found(undefined, { key: 'urn:li:member:7' })).toEqual(ada)
    expect(await found(undefined, { key: '7' })).toEqual(['companies', '7'])
    expect(await found(undefined, { key: '8' })).toBeNull()
  })
})
