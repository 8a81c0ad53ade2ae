import type { OperatorStatement } from '@vitae/contract'
import { type Clock, startOfMonth, utcMonth } from '../../foundation/clock.ts'
import { Failure } from '../../foundation/failure.ts'
import { decimalOf, inMillionths } from '../../foundation/money.ts'
import { listsOf } from '../prices/price-books.ts'
import type { PriceLists } from '../prices/price-book.ts'
import { readNote } from '../prices/price-note.ts'
import { createHash } from 'node:crypto'
import { digestOf, statementOf, sumOf, type StatementBody, type StatementFigures } from './statement.ts'
import type { EnvironmentMonth, StatementStore } from './statement-operations.ts'

interface Deps {
  store: Parameters<typeof listsOf>[0]['store'] & { statements: Pick<StatementStore, 'statementMonths'> }
  prices: Parameters<typeof listsOf>[0]['prices']
  /** The currency of provider costs and of a credit's value. */
  currency: string
}

interface ReadDeps extends Deps {
  clock: Clock
  /** The value of a credit; null = not stated. */
  creditValue: number | null
}

interface Asked {
  project: string
  environment: string | null
  month: string
}

/** The statement of an environment or of a whole project, for a month that has begun. */
export async function readStatement(deps: ReadDeps, asked: Asked): Promise<OperatorStatement> {
  if (asked.month > utcMonth(deps.clock.now()))
    throw new Failure('invalid_request', {
      detail: 'month has not begun.',
      errors: [{ parameter: 'month', detail: 'must have begun' }],
    })
  const months = (await deps.store.statements.statementMonths(asked)).filter(({ hasBegun }) => hasBegun)
  const isOver = startOfMonth(asked.month) < startOfMonth(utcMonth(deps.clock.now()))
  const bodies: StatementBody[] = []
  for (const each of months) bodies.push(await bodyOf(deps, asked, each))
  const isClosed = isOver && months.every(({ closed }) => closed !== null)
  const [only] = asked.environment === null ? [] : bodies
  const { provider_cost, lines, ...rest } = only ?? sumOf({ ...asked, currency: deps.currency }, bodies)
  const digest = (only && months[0]?.closed?.digest) ?? projectDigest(months)
  return {
    ...rest,
    in_progress: !isClosed,
    lines,
    ...valueOf(deps, rest.charged),
    provider_cost,
    digest: isClosed ? digest : null,
  }
}

/** A project's digest is computed from the digests of its environments, which the audit log contains. */
function projectDigest(months: readonly EnvironmentMonth[]): string {
  const lines = months.map(({ environment, closed }) => `${environment} ${closed?.digest}\n`)
  return createHash('sha256').update(lines.join('')).digest('hex')
}

async function bodyOf(deps: Deps, { project, month }: Asked, each: EnvironmentMonth): Promise<StatementBody> {
  // Written by `closeMonths`.
  if (each.closed) return JSON.parse(each.closed.body) as StatementBody
  const named = { project, environment: each.environment, month, currency: deps.currency }
  return statementOf(named, each.figures, await booksOf(deps, each.figures))
}

async function booksOf(deps: Deps, { calls }: StatementFigures): Promise<Map<number, PriceLists | null>> {
  const versions = new Set(calls.flatMap(({ price }) => readNote(price)?.book ?? []))
  const books = new Map<number, PriceLists | null>()
  for (const version of versions) books.set(version, await listsOf(deps, version))
  return books
}

function valueOf({ currency, creditValue }: ReadDeps, charged: number): Pick<OperatorStatement, 'value'> {
  if (creditValue === null) return {}
  const credit = inMillionths(creditValue)
  return { value: { currency, credit: decimalOf(credit), charged: decimalOf(credit * BigInt(charged)) } }
}

export type CloseDeps = Deps & { store: { statements: StatementStore } }

/** A month is closed this long after its end: longer than a call can last, and than the clocks of nodes may differ. */
const afterMs = 3_600_000

/** Closes the finished months, the oldest of each environment first. A month with an open hold waits. */
export async function closeMonths(deps: CloseDeps, now: number, stop?: AbortSignal): Promise<{ closed: number }> {
  let closed = 0
  for (let isDone = false; !isDone && !stop?.aborted;) {
    isDone = true
    for (const { project, environment, month } of await deps.store.statements.monthsToClose({
      before: utcMonth(now - afterMs),
    })) {
      if (stop?.aborted) break
      const [found] = await deps.store.statements.statementMonths({ project, environment, month })
      if (!found || found.isHeld) continue
      const body = await bodyOf(deps, { project, environment, month }, found)
      const { isClosed } = await deps.store.statements.closeStatement({
        project,
        environment,
        month,
        lastEntry: found.lastEntry,
        body: JSON.stringify(body),
        digest: digestOf(body),
        providerCost: body.provider_cost,
        at: now,
      })
      if (!isClosed) continue
      closed += 1
      isDone = false
    }
  }
  return { closed }
}
