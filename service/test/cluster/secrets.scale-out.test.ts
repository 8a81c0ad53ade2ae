import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { shareSecret } from '../../src/cluster/share-secret.ts'
import { openDataFolder } from '../../src/foundation/data-folder.ts'
import type { NodeOperations } from '../../src/cluster/node-operations.ts'
import { nodeOperations } from '../../src/cluster/node-operations.ts'
import { poolDatabase } from '../../src/database/postgres/pool-database.ts'
import { storeOver, type Operations, type Store } from '../../src/database/store.ts'
import { openPostgres } from '../../src/database/postgres/postgres.ts'
import { migrate } from '../../src/database/migrate.ts'
import { onTestFinished } from 'vitest'
import { hasEngines, openNode, ownDatabase, ownFolder } from '../harness/scale-out-engine.ts'

const withPassword = 'postgres://vitae:first-password@db/vitae'
const changedPassword = 'postgres://vitae:second-password@db/vitae'
const noPassword = 'postgres://vitae@db/vitae'

async function openSettings(): Promise<Store<NodeOperations>> {
  const { db } = openPostgres(await ownDatabase(), () => undefined)
  onTestFinished(() => db.destroy())
  await migrate(db, 'postgres', 0)
  const operations: Operations = nodeOperations
  return storeOver({
    names: Object.keys(operations),
    run: async (name, args) => operations[name]?.(poolDatabase(db), args),
  })
}

const folder = () => openDataFolder(ownFolder(), { exclusive: false })

describe.skipIf(!hasEngines)('the secret that all nodes share', () => {
  test('a second node gets the secret of the first, and the admin token with it', async () => {
    const databaseUrl = await ownDatabase()
    const [one, two] = await Promise.all([openNode(databaseUrl, null), openNode(databaseUrl, null)])

    expect(two.secret).toBe(one.secret)
    expect(two.ownerToken).toBe(one.ownerToken)
  })

  test('a node with another secret does not start', async () => {
    const databaseUrl = await ownDatabase()
    await openNode(databaseUrl, null)
    const other = { VITAE_SECRET_KEY: randomBytes(24).toString('hex') }

    await expect(openNode(databaseUrl, null, other)).rejects.toThrow('VITAE_SECRET_KEY is not the one of this database')
  })

  test('it does not lie in the database', async () => {
    const store = await openSettings()
    const secret = await shareSecret({ store, folder: folder(), configured: null, databaseUrl: withPassword })

    for (const name of ['secret.wrapped', 'secret.proof'])
      expect(await store.readSetting({ name })).not.toContain(secret)
  })

  test('after a change of the password a node that knows the secret shares it under the new one', async () => {
    const store = await openSettings()
    const first = folder()
    const secret = await shareSecret({ store, folder: first, configured: null, databaseUrl: withPassword })
    const stranger = { store, folder: folder(), configured: null, databaseUrl: changedPassword }
    await expect(shareSecret(stranger)).rejects.toThrow('cannot be opened with this DATABASE_URL')

    await shareSecret({ store, folder: first, configured: null, databaseUrl: changedPassword })

    expect(await shareSecret(stranger)).toBe(secret)
  })

  test('without a password it is not shared at all: the next node is told to set it', async () => {
    const store = await openSettings()
    const secret = await shareSecret({ store, folder: folder(), configured: null, databaseUrl: noPassword })

    expect(await store.readSetting({ name: 'secret.wrapped' })).toBeNull()
    const next = { store, folder: folder(), databaseUrl: noPassword }
    await expect(shareSecret({ ...next, configured: null })).rejects.toThrow(
      'set it to the secret that the other nodes',
    )
    expect(await shareSecret({ ...next, configured: secret })).toBe(secret)
  })
})
