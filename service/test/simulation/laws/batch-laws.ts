import type { OpenDatabase } from '../../harness/engines.ts'
import type { Said } from '../world/simulated-provider.ts'
import { exercise } from './exercises.ts'
import { leads } from './heard-names.ts'
import type { Page } from './honesty.ts'
import { Violation } from './law.ts'
import type { Ledger } from './read-ledger.ts'
import { rowsOf } from './rows-of.ts'

/** A batch from its caller's view. */
export interface SimulatedBatch {
  id: string
  tag: string
  inputs: readonly string[]
  environment: string
  environmentId: number
}

const dayMs = 86_400_000
const waitsForMore = new Set(['credit_ceiling_reached', 'max_credits_reached'])

/** The laws of background lookups. */
export class BatchLaws {
  readonly told: SimulatedBatch[] = []
  readonly #rows = new Map<string, number>()
  readonly #price: number
  /** The maximum difference between the nodes' clocks. */
  readonly #slackMs: number
  #made = new Set<string>()

  constructor(price: number, slackMs: number) {
    this.#price = price
    this.#slackMs = slackMs
  }

  submits({ tag, inputs }: Pick<SimulatedBatch, 'tag' | 'inputs'>): void {
    this.#rows.set(tag, new Set(inputs).size)
  }

  submitted(batch: SimulatedBatch): void {
    this.told.push(batch)
  }

  get wereSubmitted(): boolean {
    return this.#rows.size > 0
  }

  async areUnfinished(database: OpenDatabase): Promise<boolean> {
    const text = `select id from batches where status in ('queued', 'running', 'paused') limit 1`
    return (await rowsOf(database, text)).length > 0
  }

  /** Checked after every step: a created batch stays, even if its caller got no answer. */
  async stay(database: OpenDatabase): Promise<void> {
    const rows = await rowsOf<{ id: string }>(
      database,
      `select public_id as id from batches where status <> 'uploading'`,
    )
    const made = new Set(rows.map(({ id }) => id))
    for (const id of this.#made) if (!made.has(id)) throw broken(`${id} was removed`)
    this.#made = made
  }

  /** Checks the final state. */
  atRest({ batches, receipts }: Ledger): void {
    for (const [tag, rows] of this.#rows) {
      const paid = receipts.filter((one) => one.tag === tag && one.credits > 0).length
      exercise('a row of a batch is billed at most once and answered once', paid > 0)
      if (paid > rows) throw broken(`${tag}: ${paid} lookups of ${rows} different ids were paid for`)
    }
    for (const { public_id: id, ended, total, credits, status, gone } of batches) {
      const batch = this.told.find((one) => one.id === id)
      if (status === 'completed' && ended !== total) throw broken(`${id} is completed with ${ended} of ${total} rows`)
      if (!batch) continue
      const own = receipts.filter((one) => one.tag === batch.tag)
      const cost = own.reduce((sum, { credits }) => sum + credits, 0)
      const { max_credits: most } = batches.find((one) => one.public_id === id) ?? { max_credits: null }
      if (most !== null && cost > most) throw new Violation('no limit is exceeded', `${id} cost ${cost}, of ${most}`)
      const unknown = (total - ended + gone) * this.#price
      if (cost < credits || cost > credits + unknown)
        throw broken(`${id} cost ${cost}, says ${credits} and may have spent ${unknown} more`)
    }
    watchesOnce(receipts, dayMs - this.#slackMs)
  }

  /** The downloaded results match the input, in its order. */
  inOrder({ id, inputs }: SimulatedBatch, lines: readonly string[], said: Said): void {
    let before = 0
    for (const line of lines) {
      const { row, input, status, record } = JSON.parse(line) as {
        row: number
        input: string | null
        status: string
        record: Page | null
      }
      const slug = inputs[row - 1] ?? ''
      if (row <= before || (input !== null && input !== slug)) throw broken(`${id}: row ${row} is out of order`)
      before = row
      const isTold = said.told.some(({ text, slug: of }) => text === record?.profile_url && leads(said, slug, of))
      if (status === 'found' && !isTold) throw broken(`${id}: row ${row} for ${slug} has the record of somebody else`)
    }
  }

  /** Without obstacles all batches have ended, or wait for a limit of their own. */
  atEnd({ batches }: Ledger): void {
    for (const { public_id: id, status, reason, ended, total } of batches) {
      const isOver =
        status === 'completed' || status === 'failed' || (status === 'paused' && waitsForMore.has(reason ?? ''))
      if (!isOver) throw broken(`${id} never ends: ${status}, ${reason}, ${ended} of ${total} rows`)
    }
  }
}

/** Every watch of the simulation refreshes once a day. */
function watchesOnce(receipts: Ledger['receipts'], leastMs: number): void {
  const last = new Map<string, number>()
  const looks = receipts.filter((one) => one.tag === 'watch' && one.entity_id !== null)
  for (const { environment, entity_id, at } of looks.toSorted((a, b) => a.at - b.at)) {
    const watch = `${environment} ${entity_id}`
    const before = last.get(watch)
    exercise('a watch pays for one refresh per interval', before !== undefined)
    if (before !== undefined && at - before < leastMs)
      throw new Violation('a watch pays for one refresh per interval', `${watch}: two within ${at - before} ms`)
    last.set(watch, at)
  }
}

function broken(what: string): Violation {
  return new Violation('a row of a batch is billed at most once and answered once', what)
}
