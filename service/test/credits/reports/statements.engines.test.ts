import { grantOperations } from '../../../src/credits/operations.ts'
import type { OperatorStatement } from '@vitae/contract'
import fc from 'fast-check'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { SettleRequest } from '../../../src/credits/decision/settlement-requests.ts'
import { closeMonths, readStatement } from '../../../src/credits/statements/read-statement.ts'
import { dayMs, monthAfter, startOfMonth, utcMonth } from '../../../src/foundation/clock.ts'
import { chunkOfCalls } from '../../../src/lifecycle/store/retention/retention-chunk.ts'
import { engines, type OpenDatabase } from '../../harness/engines.ts'
import { addEnvironment, addKey, countedUsage, settleAll, statementDeps } from '../ledger.ts'
import { capture, charge, hold, release } from '../requests.ts'

const isLong = process.env['VITAE_TEST_LONG'] === '1'
/** Steps per run, and calls per step: 10,000 calls per long run. */
const [runs, steps, callsOfStep] = isLong ? [3, 120, 300] : [3, 40, 8]
const first = '2026-09'

const notes = [
  { price: '0 3:1', each: 1, lines: { 'book 0, line 3: people': 1 } },
  { price: '0 3:1 contact:2', each: 3, lines: { 'book 0, line 3: people': 1, 'book 0, part contact': 2 } },
  // A free repeat: only the part is paid.
  { price: '0 3:1 contact:2', each: 2, lines: { 'book 0, line 3: people': 0, 'book 0, part contact': 2 } },
] as const

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('charge', 'hold', 'late'),
      note: fc.constantFrom(...notes),
      tag: fc.constantFrom(null, 'spring', 'fall'),
      source: fc.constantFrom('live', 'store'),
      calls: fc.integer({ min: 1, max: callsOfStep }),
      hours: fc.integer({ min: 1, max: 90 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('grant', 'adjust'), amount: fc.integer({ min: 1, max: 50 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('end holds' as const), captured: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('close', 'prune') }) },
)
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

/** The expected figures of a month, kept beside the ledger. */
class Expected {
  readonly sums = { granted: 0, charged: 0, corrected: 0 }
  readonly lines = new Map<string, { calls: number; credits: number }>()

  add(name: string, calls: number, credits: number): void {
    const line = this.lines.get(name) ?? { calls: 0, credits: 0 }
    this.lines.set(name, { calls: line.calls + calls, credits: line.credits + credits })
  }
}

type Held = { request: SettleRequest; month: string; note: (typeof notes)[number]; tag: string | null }

/** An environment whose months both the service and this test count. */
class Run {
  readonly months = new Map<string, Expected>()
  readonly closed = new Map<string, OperatorStatement>()
  now = startOfMonth(first) + dayMs
  held: Held[] = []
  lastClosed = ''
  requests = 0
  readonly database: OpenDatabase
  readonly environmentId: number
  readonly project: string

  constructor(database: OpenDatabase, environmentId: number, project: string) {
    this.database = database
    this.environmentId = environmentId
    this.project = project
  }

  /** An entry of a closed month counts in the next one. */
  expected(month: string): Expected {
    const counted = this.lastClosed !== '' && month <= this.lastClosed ? monthAfter(this.lastClosed) : month
    const known = this.months.get(counted) ?? new Expected()
    this.months.set(counted, known)
    return known
  }

  #charged(month: string, { each, lines }: Held['note'], tag: string | null, source: string, calls = 1): void {
    const expected = this.expected(month)
    expected.sums.charged += each * calls
    for (const [line, credits] of Object.entries(lines))
      expected.add(`${line} ${source} ${tag}`, calls, credits * calls)
  }

  async take(each: Step): Promise<void> {
    const { database, project } = this
    const name = { project, environment: 'production', actor: 'owner' }
    if ('amount' in each) {
      const amount = each.do === 'adjust' && each.amount % 2 === 0 ? -1 : each.amount
      const change = { ...name, amount, at: this.now }
      if (each.do === 'grant') await grantOperations.grantCredits(database, change)
      else await grantOperations.adjustCredits(database, change)
      this.expected(utcMonth(this.now)).sums[each.do === 'grant' ? 'granted' : 'corrected'] += amount
    } else if ('note' in each) await this.#call(each)
    else if (each.do === 'end holds') await this.#endHolds(each.captured)
    else if (each.do === 'prune') await this.#prune()
    else await this.close()
  }

  async #call({ do: how, note, tag, source, calls, hours }: Extract<Step, { note: unknown }>): Promise<void> {
    // A node whose clock is behind, within the log's tolerance.
    const at = how === 'late' ? Math.max(startOfMonth(first), this.now - dayMs) : this.now
    const owner = { environmentId: this.environmentId, keyId: `${this.project}-key`, at }
    const facts = { ...charge('').call, source, tag, price: note.price } as const
    const paid = { ...owner, price: note.each, call: facts }
    const ids = Array.from({ length: calls }, () => `${this.project}-${(this.requests += 1)}`)
    if (how === 'hold') {
      await settleAll(
        this.database,
        ids.map((id) => hold(id, { ...owner, amount: 3, expiresAt: at + 1_000 * dayMs })),
      )
      this.held.push(...ids.map((id) => ({ request: capture(id, paid), month: utcMonth(at), note, tag, source })))
    } else {
      await settleAll(
        this.database,
        ids.map((id) => charge(id, paid)),
      )
      this.#charged(utcMonth(at), note, tag, source, calls)
    }
    this.now += hours * 3_600_000
  }

  async #endHolds(captured: boolean): Promise<void> {
    const { now, held } = this
    this.held = []
    const owner = { environmentId: this.environmentId, keyId: `${this.project}-key`, at: now }
    await settleAll(
      this.database,
      held.map(({ request }) => (captured ? { ...request, at: now } : release(request.requestId, owner))),
    )
    for (const { request, month, note, tag } of captured ? held : [])
      this.#charged(month, note, tag, 'call' in request ? request.call.source : '')
  }

  /** Removes everything older than a week, in any month. */
  async #prune(): Promise<void> {
    const kept = { rawDays: null, historyDays: null, recordDays: null, unusedRecordDays: null, perProvider: {} }
    const rules = { ...kept, callLogDays: 7 }
    const { dialect } = this.database
    const args = { now: this.now, rules, limit: 1_000, dryRun: false, dialect, after: 0 }
    for (let next: number | null = 0; next !== null;)
      ({ next } = await this.database.write(({ db }) => chunkOfCalls(db, args)))
  }

  async close(): Promise<void> {
    await closeMonths(statementDeps(this.database), this.now)
    const heldSince = this.held.map(({ month }) => month).toSorted()[0]
    for (let month = this.lastClosed === '' ? first : monthAfter(this.lastClosed); ; month = monthAfter(month)) {
      const isOver = month < utcMonth(this.now - 3_600_000) && (heldSince === undefined || month < heldSince)
      const statement = await this.statement(month)
      expect(statement.in_progress).toBe(!isOver)
      if (!isOver) return
      this.closed.set(month, statement)
      this.lastClosed = month
    }
  }

  statement(month: string, environment: string | null = 'production'): Promise<OperatorStatement> {
    const clock = { now: () => this.now, elapsed: () => 0 }
    return readStatement(
      { ...statementDeps(this.database), creditValue: null, clock },
      { project: this.project, environment, month },
    )
  }

  /** Compares the remaining receipts with the ledger, and usage, which includes removed calls, with all months. */
  async #compareWithCalls(): Promise<void> {
    const charged = [...this.months.values()].reduce((sum, { sums }) => sum + sums.charged, 0)
    const window = { since: 0, until: this.now + dayMs, bucket: null }
    const place = { by: [], project: this.project, environment: null, mode: 'live' } as const
    const usage = await countedUsage(this.database, { ...window, ...place })
    expect(usage.reduce((sum, { credits }) => sum + credits, 0)).toBe(charged)
    const { rows } = await sql<{ receipt: number; entry: number }>`
      select calls.credits as receipt, entry.amount as entry from calls
        join ledger_entries as entry on entry.request_id = calls.request_id and entry.kind in ('charge', 'capture')
      where calls.account_id = ${this.environmentId} and calls.credits <> entry.amount`.execute(this.database.db)
    expect(rows).toEqual([])
  }

  /** Compares every month, closed or not, with this test's count. */
  async check(): Promise<void> {
    let balance = 0
    for (let month = first; month <= utcMonth(this.now); month = monthAfter(month)) {
      const statement = await this.statement(month)
      const { sums, lines } = this.months.get(month) ?? new Expected()
      expect(statement).toMatchObject({ opening_balance: balance, lapsed: 0, ...sums })
      const { opening_balance, granted, lapsed, charged, corrected, closing_balance } = statement
      expect(opening_balance + granted - lapsed - charged + corrected).toBe(closing_balance)
      expect(statement.lines.reduce((sum, { credits }) => sum + credits, 0)).toBe(charged)
      const named = statement.lines.filter((line) => line.price_line !== null)
      if (named.length === statement.lines.length)
        expect(
          new Map(
            named.map((l) => [`${l.price_line} ${l.source} ${l.spend_tag}`, { calls: l.calls, credits: l.credits }]),
          ),
        ).toEqual(new Map([...lines].toSorted(([a], [b]) => (a < b ? -1 : 1))))
      const whole = await this.statement(month, null)
      expect({ ...whole, environment: 'production', digest: statement.digest }).toEqual(statement)
      balance = closing_balance
    }
    const [row] = await this.database.db
      .selectFrom('environments')
      .select('balance')
      .where('id', '=', this.environmentId)
      .execute()
    expect(row?.balance).toBe(balance)
    await this.#compareWithCalls()
    for (const [month, statement] of this.closed) expect(await this.statement(month)).toEqual(statement)
  }
}

describe.each(engines)('statements on $name', (engine) => {
  test(
    'equal ledger, receipts and usage to the credit, in random months with holds over their ends, late entries and retention; a closed one never changes',
    { timeout: isLong ? 900_000 : 600_000 },
    async () => {
      const database = await engine.open()
      onTestFinished(() => database.close())
      let run = 0
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: steps, maxLength: steps }), async (taken) => {
          const project = `p${(run += 1)}`
          const environmentId = await addEnvironment(database, { project, environment: 'production' }, 0)
          await addKey(database, environmentId, { id: `${project}-key` })
          const own = new Run(database, environmentId, project)
          await grantOperations.grantCredits(database, {
            project,
            environment: 'production',
            amount: 10_000_000,
            actor: 'owner',
            at: own.now,
          })
          own.expected(first).sums.granted += 10_000_000
          for (const each of taken) await own.take(each)
          await own.check()
          await own.take({ do: 'end holds', captured: true })
          own.now += 40 * dayMs
          await own.close()
          await own.check()
          const rows = await database.db
            .selectFrom('audit')
            .select('after')
            .where('action', '=', 'statement.close')
            .where('subject', '=', `${project}/production`)
            .orderBy('id')
            .execute()
          const digests = rows.map(({ after }) => (JSON.parse(after ?? '{}') as { digest: string }).digest)
          expect(digests).toEqual([...own.closed.values()].map(({ digest }) => digest))
        }),
        { numRuns: runs, endOnFailure: true },
      )
    },
  )
})
