import { expect, onTestFinished, test } from 'vitest'
import { sql } from 'kysely'
import { openOwnDatabase } from '../harness/engines.ts'
import { admin, lookUp, newKey, startNodes } from '../harness/node-processes.ts'
import { hasEngines, ownRedis, until } from '../harness/scale-out-engine.ts'
import { goodPerson, ScriptedUpstream } from '../harness/scripted-provider.ts'
import { openPostgres } from '../../src/database/postgres/postgres.ts'
import { fixedValues } from '../../src/config/fixed-values.ts'

test.skipIf(!hasEngines)(
  'a node that was considered dead serves no person who was erased meanwhile, from the first call after it wakes',
  async () => {
    const upstream = await new ScriptedUpstream().start()
    onTestFinished(() => upstream.close())
    upstream.script = goodPerson
    const database = await openOwnDatabase()
    const redis = await ownRedis()
    const env = {
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      VITAE_UPSTREAM: 'mirror',
      VITAE_MIRROR_KEY: 'secret',
    }
    const [well, frozen] = await startNodes(2, { ...env, ...upstream.env })
    const { db } = openPostgres(database.url, () => undefined)
    onTestFinished(async () => {
      await Promise.all([well?.close(), frozen?.close()])
      await db.destroy()
      await database.drop()
    })
    const { key } = await newKey(well!.url, 'frozen', 100)
    const isServed = async (url: string) => (await lookUp(url, key, 'ada-fiction')) === '200'
    await until(async () => (await isServed(well!.url)) && (await isServed(frozen!.url)))

    process.kill(frozen!.pid, 'SIGSTOP')
    await until(async () => (await silentNodes()) === 1)
    await admin(well!.url, 'POST', '/records/people/ada-fiction/erase', { reason: 'asked for' })
    const first = lookUp(frozen!.url, key, 'ada-fiction')
    process.kill(frozen!.pid, 'SIGCONT')

    expect(await first).not.toBe('200')
    await until(async () => (await lookUp(frozen!.url, key, 'ada-fiction')) === '404 not_found')

    /** The number of nodes that the others consider dead. */
    async function silentNodes(): Promise<number> {
      const before = sql<number>`extract(epoch from clock_timestamp()) * 1000 - ${fixedValues.nodeDeadAfterMs}`
      const rows = await db.selectFrom('nodes').select('id').where('seen_at', '<', before).execute()
      return rows.length
    }
  },
)
