import { expect, onTestFinished, test } from 'vitest'
import { hasEngines, ownDatabase } from '../harness/scale-out-engine.ts'
import { openPostgres } from '../../src/database/postgres/postgres.ts'
import { NodeProcess, startNodes } from '../harness/node-processes.ts'
import { freePort } from '../harness/start-engines.ts'
import { drained, openOutbox, randomWhile, receivedHeadlines } from './outbox-run.ts'

test.runIf(hasEngines)('when the sending node is killed, another one continues, and every event arrives', async () => {
  const outbox = await openOutbox()
  const databaseUrl = await ownDatabase()
  const env = { ...outbox.env, DATABASE_URL: databaseUrl, REDIS_URL: process.env['TEST_REDIS_URL'] ?? '' }
  // Alone at first, so it becomes the sender.
  const first = new NodeProcess(await freePort(), env)
  const nodes = [first]
  const { db } = openPostgres(databaseUrl, () => undefined)
  onTestFinished(async () => {
    await Promise.all(nodes.map((node) => node.close()))
    await db.destroy()
    await outbox.close()
  })
  await first.start()
  const webhookId = await outbox.prepare(first.url)
  nodes.push(...(await startNodes(2, env)))

  const stopped = new AbortController()
  const running = outbox.load.run(
    nodes.map(({ url }) => url),
    stopped.signal,
  )
  await outbox.load.underWay()
  await randomWhile()
  await first.end('SIGKILL')
  await randomWhile()
  stopped.abort()
  await running
  const written = async () => {
    const rows = await db.selectFrom('events').select('public_id').where('type', 'like', 'person.%').execute()
    return rows.map((row) => row.public_id)
  }
  await drained(nodes[1]?.url ?? '', webhookId, written, outbox.effects)

  expect([...outbox.effects.byId.keys()].toSorted()).toEqual((await written()).toSorted())
  const told = receivedHeadlines(outbox.effects)
  expect([...outbox.load.answered].filter((headline) => !told.has(headline))).toEqual([])
})
