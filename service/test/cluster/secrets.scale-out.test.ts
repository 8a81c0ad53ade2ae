import { randomBytes } from 'node:crypto'
import { describe, expect, test, onTestFinished } from 'vitest'
import { shareSecret } from '../../src/cluster/share-secret.ts'
import { openDataFolder } from '../../src/foundation/data-folder.ts'
import { settingOperations } from '../../src/cluster/node-operations.ts'
import { poolDatabase } from '../../src/database/postgres/pool-database.ts'
import { storeOn } from '../harness/store-on.ts'
import { openPostgres } from '../../src/database/postgres/postgres.ts'
import { migrate } from '../../src/database/migrations/migrate.ts'
import { hasEngines, openNode, ownDatabase, ownFolder } from '../harness/scale-out-engine.ts'
import { postgresDialect } from '../../src/database/postgres/postgres-dialect.ts'

const withPassword = 'postgres://vitae:first-password@db/vitae'
const changedPassword = 'postgres://vitae:second-password@db/vitae'
const noPassword = 'postgres://vitae@db/vitae'

async function openSettings() {
  const { db } = openPostgres(await ownDatabase(), () => undefined)
  onTestFinished(() => db.destroy())
  await migrate(db, postgresDialect, 0)
  return storeOn(poolDatabase(db), { settings: settingOperations })
}

const folder = () => openDataFolder(ownFolder(), { exclusive: false })

describe.skipIf(!hasEngines)('the secret that all nodes share', () => {
  test('is shared with a second node, together with the admin token', async () => {
    const databaseUrl = await ownDatabase()
    const [one, two] = await Promise.all([openNode(databaseUrl, null), openNode(databaseUrl, null)])

    expect(two.secret).toBe(one.secret)
    expect(two.ownerToken).toBe(one.ownerToken)
  })

  test('stops the start of a node that has another one', async () => {
    const databaseUrl = await ownDatabase()
    await openNode(databaseUrl, null)
    const other = { VITAE_SECRET_KEY: randomBytes(24).toString('hex') }

    await expect(openNode(databaseUrl, null, other)).rejects.toThrow('VITAE_SECRET_KEY is not the one of this database')
  })

  test('is not readable in the database', async () => {
    const store = await openSettings()
    const secret = await shareSecret({ store, folder: folder(), configured: null, databaseUrl: withPassword })

    for (const name of ['secret.wrapped', 'secret.proof'])
      expect(await store.settings.readSetting({ name })).not.toContain(secret)
  })

  test('is shared under a new password by a node that knows it', async () => {
    const store = await openSettings()
    const first = folder()
    const secret = await shareSecret({ store, folder: first, configured: null, databaseUrl: withPassword })
    const stranger = { store, folder: folder(), configured: null, databaseUrl: changedPassword }
    await expect(shareSecret(stranger)).rejects.toThrow('cannot be opened with this DATABASE_URL')

    await shareSecret({ store, folder: first, configured: null, databaseUrl: changedPassword })

    expect(await shareSecret(stranger)).toBe(secret)
  })

  test("is not shared without a password: the next node's start asks to set it", async () => {
    const store = await openSettings()
    const secret = await shareSecret({ store, folder: folder(), configured: null, databaseUrl: noPassword })

    expect(await store.settings.readSetting({ name: 'secret.wrapped' })).toBeNull()
    const next = { store, folder: folder(), databaseUrl: noPassword }
    await expect(shareSecret({ ...next, configured: null })).rejects.toThrow(
      'set it to the secret that the other nodes',
    )
    expect(await shareSecret({ ...next, configured: secret })).toBe(secret)
  })
})
