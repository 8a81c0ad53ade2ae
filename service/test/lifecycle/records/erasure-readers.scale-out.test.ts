import { setTimeout as paceOfCaller } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { hasEngines } from '../../harness/scale-out-engine.ts'
import { openServices } from '../../harness/node-services.ts'
import type { TestService } from '../../harness/test-service.ts'
import { marker } from '../subjects.ts'
import type { Rewritten } from '../../../src/database/postgres/rewrite-tables.ts'
import { rewriteWhenDue } from '../../../src/lifecycle/erasure/rewrites.ts'

/** A foreign session, such as `pg_dump` or an analyst's, whose transaction does not end. */
async function beginForLong(url: string, statement: string): Promise<{ end(): Promise<void> }> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('begin isolation level repeatable read')
  await client.query(statement)
  return { end: async () => void (await client.query('commit')) }
}

/** The tables whose files contain a word. */
async function filesWith(word: string, url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('checkpoint')
    const { rows } = await client.query<{ name: string }>(
      `select relname as name from pg_class where relkind in ('r', 'i', 't') and pg_relation_filepath(oid) is not null
         and position($1::bytea in pg_read_binary_file(pg_relation_filepath(oid), 0, 100000000, true)) > 0`,
      [Buffer.from(word)],
    )
    return rows.map(({ name }) => name)
  } finally {
    await client.end()
  }
}

/** The job: a rewrite that has begun is due until it ends. */
async function rewriteDue({ service: { store, clock } }: TestService): Promise<Rewritten> {
  const due = await rewriteWhenDue(store, clock, { timeOfDayMs: 0, holder: 'test' })
  return due ?? { done: [], left: [] }
}

/** Callers with twenty calls a second each at most; returns all their answers. */
function callers(service: TestService, count: number): { stop(): Promise<number[]> } {
  const statuses: number[] = []
  const state = { going: true }
  const one = async (name: string) => {
    for (let index = 0; state.going; index++) {
      statuses.push((await service.person(index % 4 === 0 ? `${name}-${index}` : name)).status)
      // Without a pause they would keep both cores busy, for seconds of waiting for locks.
      await paceOfCaller(50)
    }
  }
  const running = Array.from({ length: count }, (_, index) => one(`caller-${index}`))
  return {
    async stop() {
      state.going = false
      await Promise.all(running)
      return statuses
    },
  }
}

describe.skipIf(!hasEngines)('an erasure on PostgreSQL while somebody reads', () => {
  test.each([
    ['the tables it rewrites', 'here', 'select count(*) from versions, aliases, calls'],
    ['another table, with an old view of all', 'here', 'select count(*) from projects'],
    ['nothing, and writes in another database', 'there', 'select pg_current_xact_id()'],
  ] as const)(
    '%s: no caller waits for it, its answer says what is left, and that is completed later',
    async (_name, where, statement) => {
      const { services, databaseUrl } = await openServices([null])
      const [service] = services
      if (!service) throw new Error('no service')
      const word = marker().toLowerCase()
      expect((await service.person(`ada-${word}`)).status).toBe(200)
      expect(await filesWith(`ada-${word}`, databaseUrl)).not.toEqual([])
      const reader = await beginForLong(
        where === 'here' ? databaseUrl : (process.env['TEST_POSTGRES_URL'] ?? ''),
        statement,
      )
      const beside = callers(service, 4)

      const erased = await service.admin<{ tables_left: string[] }>('POST', `/records/people/ada-${word}/erase`, {
        reason: 'asked to',
        now: true,
      })
      const again = await rewriteDue(service)
      const statuses = await beside.stop()

      expect(statuses.length).toBeGreaterThan(4)
      expect(statuses.filter((status) => status !== 200)).toEqual([])
      expect(erased.tables_left).toEqual(expect.arrayContaining(['aliases', 'versions', 'payloads']))
      expect(again).toMatchObject({ done: [], left: expect.arrayContaining(['aliases']) })
      expect((await service.person(`ada-${word}`)).status).toBe(404)
      await reader.end()
      await expect.poll(async () => (await rewriteDue(service)).left).toEqual([])
      expect(await filesWith(`ada-${word}`, databaseUrl)).toEqual([])
    },
  )
})
