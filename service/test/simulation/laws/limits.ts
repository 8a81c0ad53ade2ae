import { environmentSpendId } from '../../../src/credits/decision/ledger-snapshot.ts'
import { utcMonth } from '../../../src/foundation/clock.ts'
import type { OpenDatabase } from '../../harness/engines.ts'
import { exercise } from './exercises.ts'
import { Violation } from './law.ts'
import { rowsOf } from './rows-of.ts'

interface Account {
  id: number
  environment: string
  balance: number
  held: number
  budget: number | null
  /** The sum of its holds. */
  holds: number
}

interface Period {
  spend_id: string
  period: string
  spent: number
  ceiling: number | null
  daily_ceiling: number | null
}

const holdMs = 60_000

/** Checks every limit after every step. Held credits count, because they may be spent. */
export class Limits {
  #budgets = new Map<number, number | null>()
  #spent = new Map<string, number>()
  readonly #slackMs: number
  readonly #isAhead: boolean

  /** `slackMs`: the maximum difference between the nodes' clocks. `isAhead`: a machine's clock is ahead by more. */
  constructor(slackMs: number, isAhead: boolean) {
    this.#slackMs = slackMs
    this.#isAhead = isAhead
  }

  async check(database: OpenDatabase, now: number): Promise<void> {
    const environments = await rowsOf<Account>(
      database,
      `select id, project || '/' || name as environment, balance, held, monthly_budget as budget,
       (select cast(coalesce(sum(amount), 0) as bigint) from holds where account_id = environments.id) as holds
       from environments`,
    )
    const periods = await rowsOf<Period>(
      database,
      `select p.spend_id, p.period, p.captured + p.held as spent, k.ceiling, k.daily_ceiling
       from spend_periods p left join keys k on k.id = p.spend_id`,
    )
    await this.#checkTimes(database, now + this.#slackMs)
    for (const { environment, balance, held, holds } of environments) {
      if (balance < held) throw passed(`${environment} holds ${held} credits and has ${balance}`)
      if (held !== holds) throw new Violation('the ledger verifies', `${environment} holds ${held}, its calls ${holds}`)
    }
    for (const period of periods) checkKey(period)
    await checkIdempotencyRecords(database, now - holdMs + 2 * this.#slackMs)
    this.#checkBudgets(environments, periods)
    this.#budgets = new Map(environments.map(({ id, budget }) => [id, budget]))
    this.#spent = new Map(periods.map(({ spend_id, period, spent }) => [`${spend_id} ${period}`, spent]))
  }

  /** Nodes date everything by the database's clock, whatever the clocks of their machines say. */
  async #checkTimes(database: OpenDatabase, latest: number): Promise<void> {
    const [times] = await rowsOf<{ entered: number | null; placed: number | null; granted: string | null }>(
      database,
      `select (select max(at) from ledger_entries) as entered, (select max(placed_at) from holds) as placed,
       (select max(reason) from ledger_entries where kind = 'grant' and actor = 'system') as granted`,
    )
    const { entered, placed, granted } = times ?? { entered: null, placed: null, granted: null }
    const newest = Math.max(entered ?? 0, placed ?? 0)
    exercise('nothing is dated in the future', this.#isAhead && newest > 0)
    if (newest > latest)
      throw new Violation('nothing is dated in the future', `an entry of ${newest - latest} ms ahead`)
    exercise('a month is granted when it begins', granted !== null)
    if (granted !== null && granted > `recurring credits of ${utcMonth(latest)}`)
      throw new Violation('a month is granted when it begins', `${granted} were granted before`)
  }

  /** A budget may be set below the amount already spent. From then on nothing more may be spent. */
  #checkBudgets(environments: readonly Account[], periods: readonly Period[]): void {
    for (const { id, environment, budget } of environments) {
      const before = this.#budgets.get(id) ?? null
      // Spending in the same step as the change may have come before it.
      if (budget === null || before === null) continue
      for (const { spend_id, period, spent } of periods) {
        const allowed = Math.max(budget, before, this.#spent.get(`${spend_id} ${period}`) ?? 0)
        if (spend_id === environmentSpendId(id) && spent > allowed)
          throw passed(`${environment} has spent ${spent} in ${period}, of a budget of ${budget}`)
      }
    }
  }
}

function checkKey({ spend_id: key, period, spent, ceiling, daily_ceiling: daily }: Period): void {
  const limit = period.length === 7 ? ceiling : daily
  if (limit !== null && spent > limit) throw passed(`key ${key} has spent ${spent} in ${period}, of ${limit}`)
}

/**
 * Of calls with the same idempotency key only one may be pending payment; the others wait for it. A record lasts as
 * long as a new hold. Only an older hold, whose record expired before it was renewed, may have another beside it.
 */
async function checkIdempotencyRecords(database: OpenDatabase, after: number): Promise<void> {
  const [twice] = await rowsOf<{ account_id: number }>(
    database,
    `select account_id from holds where idempotency_hash is not null and placed_at > ${after}
     group by account_id, idempotency_hash having count(*) > 1`,
  )
  if (twice)
    throw new Violation(
      'nothing is billed twice',
      `environment ${twice.account_id} holds credits twice for one idempotency key`,
    )
}

function passed(what: string): Violation {
  return new Violation('no limit is exceeded', what)
}
