import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OperatorStatement, RecordChanges } from '@vitae/contract'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { contractPerson } from '../../../fake-provider/contract-person.ts'
import { startFakeProvider } from '../../../fake-provider/start-fake-provider.ts'
import { closeMonths, readStatement } from '../../../src/credits/statements/read-statement.ts'
import { openSqlite, sqliteDialect } from '../../../src/database/sqlite/connection/sqlite.ts'
import { damageOf } from '../../../src/database/sqlite/reader/check-file.ts'
import { dayMs, utcMonth } from '../../../src/foundation/clock.ts'
import { moveStore } from '../../../src/lifecycle/backup/move-store.ts'
import { statementDeps } from '../../credits/ledger.ts'
import { overSqlite } from '../../harness/engines.ts'
import { freePort } from '../../harness/start-engines.ts'
import { hasEngines, openNode, ownDatabase, ownFolder } from '../../harness/scale-out-engine.ts'
import { admin, lookUp, newKey, NodeProcess } from '../../harness/node-processes.ts'

const vitae = join(import.meta.dirname, '../../../../cli/bin/vitae.js')

/** Runs the command line and returns its output. */
function run(...args: string[]): { code: number | null; stderr: string; json: Record<string, unknown> } {
  const env = { PATH: process.env['PATH'] ?? '' }
  const { status, stdout, stderr } = spawnSync(process.execPath, [vitae, '--json', ...args], { env, encoding: 'utf8' })
  return { code: status, stderr, json: status === 0 ? (JSON.parse(stdout) as Record<string, unknown>) : {} }
}

async function serve(env: Record<string, string>, folder?: string): Promise<NodeProcess> {
  const node = new NodeProcess(await freePort(), { ...env, ...(folder ? { VITAE_DATA_DIR: folder } : {}) })
  onTestFinished(() => node.close())
  await node.start()
  return node
}

/** Moves everything that was spent by 60 days into the past, closes its month, and returns its statement. */
async function closedMonth(folder: string): Promise<OperatorStatement> {
  const database = overSqlite(openSqlite(join(folder, 'vitae.db')))
  const back = 60 * dayMs
  const now = Date.now()
  const month = utcMonth(now - back)
  await sql`update ledger_entries set at = at - ${back}, month = ${month}`.execute(database.db)
  await sql`update spend_periods set period = ${month}`.execute(database.db)
  await sql`update calls set at = at - ${back}`.execute(database.db)
  const deps = statementDeps(database)
  await closeMonths(deps, now)
  const clock = { now: () => now, elapsed: () => 0 }
  const asked = { project: 'moving', environment: 'production', month }
  const statement = await readStatement({ ...deps, clock, creditValue: null }, asked)
  await database.db.destroy()
  return statement
}

describe.skipIf(!hasEngines)('vitae store move', () => {
  test('moves a store to PostgreSQL and back with the same keys, credits, records, replays, ledger, statements and recipients', async () => {
    const upstream = await startFakeProvider({ provider: 'mirror' })
    onTestFinished(() => upstream.close())
    const env = { VITAE_UPSTREAM: 'mirror', VITAE_MIRROR_URL: upstream.url, VITAE_MIRROR_KEY: upstream.key }
    const [home, back] = [ownFolder(), ownFolder()]
    const embedded = await serve(env, home)
    const { key } = await newKey(embedded.url, 'moving', 100)
    const keyed = { 'Idempotency-Key': 'the-same-before-and-after' }
    for (const name of ['ada-fiction', 'bea-fiction']) expect(await lookUp(embedded.url, key, name)).toBe('200')
    expect(await lookUp(embedded.url, key, 'cleo-fiction', keyed)).toBe('200')
    await admin(embedded.url, 'POST', '/records/people/bea-fiction/erase', { reason: 'asked for it' })
    await embedded.end('SIGTERM')
    const closed = await closedMonth(home)
    const statement = `/statement?project=moving&environment=production&month=${closed.month}`
    const databaseUrl = await ownDatabase('empty')

    const there = run('store', 'move', '--from', home, '--to', databaseUrl)

    expect(there).toMatchObject({ code: 0, json: { secret_moved: true } })
    expect(JSON.stringify(there.json)).not.toContain('vitae-test')
    const scaledOut = await serve({ ...env, DATABASE_URL: databaseUrl })
    const balance = '/credits/balance?project=moving&environment=production'
    expect(await admin(scaledOut.url, 'GET', balance)).toMatchObject({ balance: 97, held: 0 })
    expect(await admin(scaledOut.url, 'GET', statement)).toEqual(closed)
    expect(await lookUp(scaledOut.url, key, 'cleo-fiction', keyed)).toBe('200')
    expect(await lookUp(scaledOut.url, key, 'bea-fiction')).toBe('404 not_found')
    expect(await lookUp(scaledOut.url, key, 'ada-fiction')).toBe('200')
    expect(await lookUp(scaledOut.url, key, 'dora-fiction')).toBe('200')
    expect(upstream.requests.filter(({ path }) => path.includes('ada-fiction'))).toHaveLength(1)
    expect(await admin(scaledOut.url, 'GET', balance)).toMatchObject({ balance: 95 })
    expect(await admin(scaledOut.url, 'GET', '/ledger/verify')).toMatchObject({ ok: true })
    expect(run('store', 'move', '--from', databaseUrl, '--to', back)).toMatchObject({ code: 1 })
    await scaledOut.end('SIGTERM')

    const home2 = run('store', 'move', '--from', databaseUrl, '--to', back)

    expect(home2).toMatchObject({ code: 0, json: { secret_moved: true } })
    expect(damageOf({ path: join(back, 'vitae.db'), how: 'full' }, () => undefined)).toEqual([])
    expect(readFileSync(join(back, 'secret-key'), 'utf8')).toBe(readFileSync(join(home, 'secret-key'), 'utf8'))
    const again = await serve(env, back)
    expect(await admin(again.url, 'GET', balance)).toMatchObject({ balance: 95 })
    expect(await admin(again.url, 'GET', statement)).toEqual(closed)
    await admin(again.url, 'POST', '/records/people/ada-fiction/erase', { reason: 'asked for it' })
    const changes = await fetch(`${again.url}/v1/records/changes`, { headers: { ApiKey: key } })
    const erased = ((await changes.json()) as RecordChanges).changes.map(({ id, change }) => [id, change])
    expect(erased).toEqual(['bea-fiction', 'ada-fiction'].map((slug) => [contractPerson(slug).member_urn, 'erased']))
    expect(await lookUp(again.url, key, 'cleo-fiction', keyed)).toBe('200')
    expect(await lookUp(again.url, key, 'bea-fiction')).toBe('404 not_found')
    expect(await lookUp(again.url, key, 'eve-fiction')).toBe('200')
    expect(await admin(again.url, 'GET', balance)).toMatchObject({ balance: 94 })
    expect(await admin(again.url, 'GET', '/ledger/verify')).toMatchObject({ ok: true })
  })

  test('refuses a target that is not empty, a missing source and a source in use, in one line', async () => {
    const [empty, databaseUrl] = [ownFolder(), await ownDatabase('empty')]
    const node = await openNode(databaseUrl, null)
    await node.store.projects.createProject({ name: 'there', environments: ['production'], at: 0, actor: 'test' })

    await expect(moveStore({ from: empty, to: databaseUrl })).rejects.toThrow('There is no store in')
    await expect(moveStore({ from: databaseUrl, to: empty })).rejects.toThrow('is in use by 1 nodes of Vitae')
    await node.close()
    await moveStore({ from: databaseUrl, to: empty })
    await expect(moveStore({ from: databaseUrl, to: empty })).rejects.toThrow('already contains a store')
    await expect(moveStore({ from: empty, to: databaseUrl })).rejects.toThrow('is not empty (projects has rows)')
  })

  test('detects a value that arrives changed, and leaves nothing', async () => {
    const [home, databaseUrl] = [ownFolder(), await ownDatabase('empty')]
    const { db } = openSqlite(join(home, 'vitae.db'))
    const { migrate } = await import('../../../src/database/migrations/migrate.ts')
    await migrate(db, sqliteDialect, 0)
    await sql`insert into projects (name, created_at) values ('honest', 1)`.execute(db)
    await db.destroy()
    writeFileSync(join(home, 'secret-key'), 'a-secret-of-enough-length\n')
    const node = await openNode(databaseUrl, null)
    // A database that does not keep what it is given.
    const { openPostgres } = await import('../../../src/database/postgres/postgres.ts')
    const target = openPostgres(databaseUrl, () => undefined)
    onTestFinished(() => target.db.destroy())
    await node.close()
    await sql`create function forge() returns trigger language plpgsql as 'begin new.created_at = 2; return new; end'`.execute(
      target.db,
    )
    await sql`create trigger forge before insert on projects for each row execute function forge()`.execute(target.db)

    await expect(moveStore({ from: home, to: databaseUrl })).rejects.toThrow('the copy of projects differs')

    expect(await target.db.selectFrom('projects').selectAll().execute()).toEqual([])
  })

  test('moves tables of several chunks, and does not reuse numbers of deleted rows', async () => {
    const [home, databaseUrl] = [ownFolder(), await ownDatabase('empty')]
    const { db } = openSqlite(join(home, 'vitae.db'))
    const { migrate } = await import('../../../src/database/migrations/migrate.ts')
    await migrate(db, sqliteDialect, 0)
    const entity = { kind: 'people' as const, derived: 0, version_id: null, name: null, created_at: 1, used_at: null }
    const keys = Array.from({ length: 1_003 }, (_, index) => `p${index}`)
    await db
      .insertInto('entities')
      .values(keys.map((key) => ({ ...entity, key })))
      .execute()
    await db.deleteFrom('entities').where('id', '>', 1_000).execute()
    await db.destroy()

    const moved = await moveStore({ from: home, to: databaseUrl })

    const { openPostgres } = await import('../../../src/database/postgres/postgres.ts')
    const target = openPostgres(databaseUrl, () => undefined)
    onTestFinished(() => target.db.destroy())
    const made = await target.db
      .insertInto('entities')
      .values({ ...entity, key: 'd' })
      .returning('id')
      .executeTakeFirst()
    expect(moved.tables.find(({ table }) => table === 'entities')?.rows).toBe(1_000)
    expect(made?.id).toBe(1_004)
  })
})
