import { CompiledQuery, sql, type RootOperationNode } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keyOperations } from '../../src/accounts/key-operations.ts'
import { projectOperations } from '../../src/accounts/project-operations.ts'
import { sessionOperations } from '../../src/accounts/session-operations.ts'
import { auditOperations } from '../../src/audit/audit-operations.ts'
import { listSuppressions } from '../../src/records/suppression/suppressions.ts'
import { engines, type TestDatabase, type OpenDatabase } from '../harness/engines.ts'

const at = 1_800_000_000_000
const { listProjects } = projectOperations
const { listKeys } = keyOperations
const { listSessions } = sessionOperations
const { listAudit } = auditOperations
const after: [number, string] = [5, 'm']
const keys = { project: null, environment: null, limit: 50, after, at }

/** Paged lists of the admin API, each with the table that must not be read in full. */
const lists: [title: string, table: string, list: (database: OpenDatabase) => Promise<unknown>][] = [
  [
    'projects, newest first',
    'projects',
    (db) => listProjects(db, { project: null, at, order: 'newest', limit: 50, after }),
  ],
  ['keys, newest first', 'keys', (db) => listKeys(db, { ...keys, order: 'newest' })],
  ['keys of a project, oldest first', 'keys', (db) => listKeys(db, { ...keys, project: 'acme', order: 'oldest' })],
  ['keys, last used first', 'keys', (db) => listKeys(db, { ...keys, order: 'last_used' })],
  ['suppressions since a time', 'suppressions', (db) => listSuppressions(db, { since: 5, limit: 50 })],
  [
    'suppressions of a feed',
    'suppressions',
    (db) => listSuppressions(db, { origin: 'feed', order: 'newest', limit: 50 }),
  ],
  [
    'suppressions, the next page',
    'suppressions',
    (db) => listSuppressions(db, { cursor: { createdAt: 5, hash: 'm' }, order: 'newest', limit: 50 }),
  ],
  ['audit of a subject', 'audit', (db) => listAudit(db, { subject: 'key_1', cursor: 5, limit: 50 })],
  ['audit of a person', 'audit', (db) => listAudit(db, { actor: 'owner', cursor: 5, limit: 50 })],
  ['audit of an action', 'audit', (db) => listAudit(db, { action: 'key.create', cursor: 5, limit: 50 })],
  ['sessions', 'sessions', (db) => listSessions(db, { at, limit: 50, after })],
]

/** Disabled, because PostgreSQL would scan and sort the small tables of a test. */
const waysOfSmallTables = ['seqscan', 'bitmapscan', 'sort']

describe.each(engines)('sorted lists on $name', (engine) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await engine.open()
  })
  afterAll(() => database.close())

  test.each(lists)(
    '%s: a page is read from an index, without a scan and without a sort',
    async (_title, table, list) => {
      const { text, plan } = await planOfList(database, list)

      expect(text).toContain(`from "${table}"`)
      expect(plan).toMatch(/USING (COVERING )?INDEX|Index (Only )?Scan/)
      expect(plan).not.toMatch(new RegExp(`\\bSCAN ${table}$|TEMP B-TREE|Seq Scan on ${table}|\\bSort\\b`, 'm'))
    },
  )

  test('audit of a project: the log is read by its indexes, never in full', async () => {
    await fillAudit(database)
    const { plan } = await planOfList(database, (db) => listAudit(db, { project: 'acme', limit: 50 }), [])

    expect(plan).toMatch(/audit_by_subject/)
    expect(plan).not.toMatch(/\bSCAN audit$|Seq Scan on audit|audit_pkey/m)
  })
})

/** The first statement of a list, and its query plan. */
async function planOfList(
  database: TestDatabase,
  list: (database: OpenDatabase) => Promise<unknown>,
  forbidden = waysOfSmallTables,
) {
  const asked: RootOperationNode[] = []
  const noting = database.db.withPlugin({
    transformQuery({ node }) {
      asked.push(node)
      return node
    },
    transformResult: ({ result }) => Promise.resolve(result),
  })
  const db = Object.assign(noting, { run: database.db.run, send: database.db.send })
  await list({ ...database, db, read: (work) => work({ db, dialect: database.dialect }) })
  const [query] = asked.map((node) => database.db.getExecutor().compileQuery(node, { queryId: 'plan' }))
  return { text: query?.sql, plan: await planOf(database, query, forbidden) }
}

/** Enough other entries that PostgreSQL prefers an index. SQLite does so anyway. */
async function fillAudit({ db, dialect }: OpenDatabase): Promise<void> {
  if (dialect.name === 'sqlite') return
  await sql`insert into audit (at, actor, action, subject, previous_hash, hash)
    select n, 'person:' || n, 'look.' || n, 'people/' || n, 'before', 'this one' from generate_series(1, 20000) as n`.execute(
    db,
  )
  await sql`analyze audit`.execute(db)
}

/** The query plan of a statement on a large store. */
async function planOf(
  { db, dialect }: OpenDatabase,
  query: CompiledQuery | undefined,
  forbidden: readonly string[],
): Promise<string> {
  return db.transaction().execute(async (tx) => {
    if (dialect.name === 'postgres')
      for (const way of forbidden) await sql`set local ${sql.raw(`enable_${way}`)} = off`.execute(tx)
    const explain = dialect.name === 'sqlite' ? 'explain query plan ' : 'explain '
    const { rows } = await tx.executeQuery<{ detail?: string; 'QUERY PLAN'?: string }>(
      CompiledQuery.raw(explain + (query?.sql ?? ''), [...(query?.parameters ?? [])]),
    )
    return rows.map((row) => row.detail ?? row['QUERY PLAN']).join('\n')
  })
}
