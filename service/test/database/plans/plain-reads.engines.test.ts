import { CompiledQuery, sql, type RootOperationNode } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../../src/app/store/operations.ts'
import type { Connection, RunStatement } from '../../../src/database/engine/dialect.ts'
import { byName } from '../../../src/database/engine/operation.ts'
import { addEnvironment, addKey } from '../../credits/ledger.ts'
import { engines } from '../../harness/engines.ts'
import { openTestStore, writeReceipt, type TestStore } from '../../records/store-fixture.ts'
import { plainReads } from './plain-reads.ts'
import { sqliteDialect } from '../../../src/database/sqlite/connection/sqlite.ts'

const all = byName(operations)
const asked = Object.entries(plainReads)

/** Tables that stay small, and names of intermediate results with few rows. */
const isSmall =
  /^(environments|admin_tokens|sessions|price_books|webhooks|provider_months|provider_states|holds|migrations|CONSTANT|question|page|placed|counted)$/
/** Partial indexes that contain only pending work. */
const isOfFew =
  /^(merged_entities_to_notify|record_splits_to_notify|webhook_retries_parked|events_to_publish|watches_paused)$/

/** They read the file, or a table of a few rows on PostgreSQL only. */
const ofErasures = new Set(['residue.scanResidue', 'residue.bytesLeft'])

describe.each(engines)('plain reads beside charges, on $name', (engine) => {
  let fixture: TestStore
  beforeAll(async () => {
    fixture = await openTestStore(engine)
    const environmentId = await addEnvironment(fixture, { project: 'acme', environment: 'production' }, 10)
    await addKey(fixture, environmentId, { id: 'k1' })
    const { entityId, versionId } = await fixture.save({ slug: 'ada', number: 1 })
    await writeReceipt(fixture, { requestId: 'r1', entityId, versionId, identifier: 'ada' })
  })
  afterAll(() => fixture.close())

  test('all of them are in the table', async () => {
    const names: string[] = []
    for (const name of Object.keys(all)) if (await isPlainRead(name)) names.push(name)
    expect(names.filter((name) => !(name in plainReads) && !ofErasures.has(name))).toEqual([])
    expect(Object.keys(plainReads).filter((name) => !(name in all) || all[name]?.reportMs !== null)).toEqual([])
  })

  test.each(asked)('%s only reads, and no growing table in full', async (name, samples) => {
    for (const args of samples) {
      const statements = await statementsOf(fixture, name, args)
      const selects = statements.filter(({ sql: text }) => /^\s*select/.test(text))
      expect(selects).not.toEqual([])
      expect(statements.filter(({ sql: text }) => !/^\s*(select|with|show|pragma)\b/.test(text))).toEqual([])
      for (const statement of selects) {
        expect(await readWhole(fixture, statement), statement.sql).toEqual([])
      }
    }
  })
})

/** Whether an operation starts with a read. It gets no arguments, so it does not continue. */
async function isPlainRead(name: string): Promise<boolean> {
  let reads = false
  const refuse = () => Promise.reject(new Error('not run'))
  const read = () => {
    reads = true
    return refuse()
  }
  if (all[name]?.reportMs !== null) return false
  const database = { dialect: sqliteDialect, read, single: refuse, write: refuse, share: refuse } as const
  await Promise.resolve(undefined)
    .then((args) => all[name]?.(database, args))
    .catch(() => undefined)
  return reads
}

interface Statement {
  sql: string
  parameters: readonly unknown[]
}

/** The statements of an operation. It may fail if it finds nothing. */
async function statementsOf(fixture: TestStore, name: string, args: unknown): Promise<Statement[]> {
  const seen: Statement[] = []
  const noting = fixture.db.withPlugin({
    transformQuery({ node }) {
      seen.push(fixture.db.getExecutor().compileQuery(node as RootOperationNode, { queryId: 'plan' }))
      return node
    },
    transformResult: ({ result }) => Promise.resolve(result),
  })
  const run: RunStatement = (text, parameters) => {
    seen.push({ sql: text, parameters })
    return fixture.db.run(text, parameters)
  }
  const on: Connection = { db: Object.assign(noting, { run, send: run }), dialect: fixture.dialect }
  const noted = (work: (on: Connection) => Promise<never>) => work(on)
  const database = { dialect: fixture.dialect, read: noted, single: noted, write: noted, share: () => noted as never }
  await all[name]?.(database, args).catch((error: Error) => expect(error.message).toMatch(/^There is no /))
  return seen
}

/** The tables that a statement reads in full. */
async function readWhole({ db, dialect }: TestStore, { sql: text, parameters }: Statement): Promise<string[]> {
  // A page from the start of an index, without a condition.
  const isFirstPage = /\blimit\b/.test(text) && !/\bwhere\b/.test(text)
  const plan = await db.transaction().execute(async (tx) => {
    // PostgreSQL would scan and join the small tables of a test.
    if (dialect.name === 'postgres')
      for (const way of ['seqscan', 'hashjoin', 'mergejoin'])
        await sql`set local ${sql.raw(`enable_${way}`)} = off`.execute(tx)
    const explain = dialect.name === 'sqlite' ? 'explain query plan ' : 'explain (format json) '
    return (await tx.executeQuery<PlanRow>(CompiledQuery.raw(explain + text, [...parameters]))).rows
  })
  const scans = dialect.name === 'sqlite' ? plan.flatMap(scanOfStep) : scansIn(plan[0]?.['QUERY PLAN']?.[0]?.Plan)
  const isSorted = /TEMP B-TREE|"Sort"/.test(JSON.stringify(plan))
  return scans
    .filter(({ table, index }) => !isSmall.test(table) && !isOfFew.test(index) && !(isFirstPage && !isSorted))
    .map(({ table }) => table)
}

interface Scan {
  table: string
  index: string
}

interface PlanRow {
  detail?: string
  'QUERY PLAN'?: { Plan: Plan }[]
}

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  Plans?: Plan[]
}

function scanOfStep({ detail = '' }: PlanRow): Scan[] {
  const [, table, index = ''] = /^SCAN (?!\d+ CONSTANT ROW)(\w+)(?:.* INDEX (\w+))?/.exec(detail) ?? []
  return table === undefined ? [] : [{ table, index }]
}

function scansIn(plan: Plan | undefined): Scan[] {
  if (!plan) return []
  const { 'Relation Name': table, 'Index Name': index = '', 'Index Cond': condition } = plan
  const isWhole = table !== undefined && condition === undefined && !plan['Node Type'].startsWith('Bitmap Heap')
  return [...(isWhole ? [{ table, index }] : []), ...(plan.Plans ?? []).flatMap(scansIn)]
}
