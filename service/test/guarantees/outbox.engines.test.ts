import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openPostgres } from '../../src/database/postgres/postgres.ts'
import { openSqlite } from '../../src/database/sqlite/connection/sqlite.ts'
import { ChildService, serve } from '../harness/child-service.ts'
import { onPostgres, openOwnDatabase } from '../harness/engines.ts'
import { drained, openOutbox, randomWhile, receivedHeadlines } from './outbox-run.ts'

const few = onPostgres ? 1 : 2
const kills = process.env['VITAE_TEST_LONG'] ? 100 : few

test(
  `${kills} kills under load lose no event and invent none, although the receiver fails at random`,
  { timeout: 600_000 + kills * 15_000 },
  async () => {
    const outbox = await openOutbox()
    const folder = mkdtempSync(join(tmpdir(), 'vitae-outbox-'))
    const database = onPostgres ? await openOwnDatabase() : null
    const redis = process.env['TEST_REDIS_URL']
    const scaleOut = database ? { DATABASE_URL: database.url, ...(redis ? { REDIS_URL: redis } : {}) } : {}
    const env = { VITAE_DATA_DIR: folder, ...outbox.env, ...scaleOut }
    onTestFinished(async () => {
      await outbox.close()
      await database?.drop()
      rmSync(folder, { recursive: true, force: true })
    })
    let webhookId = ''

    for (let kill = 0; kill <= kills; kill++) {
      const child = new ChildService(serve, env)
      try {
        const url = await child.url
        if (kill === 0) webhookId = await outbox.prepare(url)
        const stopped = new AbortController()
        const running = outbox.load.run([url], stopped.signal)
        await Promise.race([outbox.load.underWay(), running])
        await randomWhile()
        stopped.abort()
        if (kill < kills) await child.stop('SIGKILL')
        await running
        if (kill === kills) await drained(url, webhookId, () => eventIds(folder, database?.url ?? null), outbox.effects)
      } finally {
        // No service may outlive its test.
        await child.stop('SIGKILL')
      }
    }

    const { effects, load } = outbox
    const written = await eventIds(folder, database?.url ?? null)
    console.log(
      `outbox: ${kills} kills, ${written.length} events, ${effects.failures} failures, ${effects.repeated} repeated`,
    )
    expect([...effects.byId.keys()].toSorted()).toEqual(written.toSorted())
    const told = receivedHeadlines(effects)
    expect([...load.answered].filter((headline) => !told.has(headline))).toEqual([])
    expect(load.answered.size).toBeGreaterThan(kills)
  },
)

/** The committed events. */
async function eventIds(folder: string, databaseUrl: string | null): Promise<string[]> {
  const { db } = databaseUrl ? openPostgres(databaseUrl, () => undefined) : openSqlite(join(folder, 'vitae.db'))
  try {
    const rows = await db.selectFrom('events').select('public_id').where('type', 'like', 'person.%').execute()
    return rows.map((row) => row.public_id)
  } finally {
    await db.destroy()
  }
}
