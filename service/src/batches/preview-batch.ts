import { ageOf } from '../foundation/clock.ts'
import { kinds, type Kind } from '@vitae/contract'
import type { Caller } from '../accounts/caller.ts'
import { deniedAt, mayUse, type Route } from '../foundation/environments/route.ts'
import { planFreshness } from '../lookup/asked/freshness.ts'
import { priceAsk } from '../lookup/payment/pay.ts'
import type { AskedName, StoredState } from './store/stored-among.ts'
import { suppressionHash } from '../records/suppression/suppression-hash.ts'
import { isBatchSetting, mappingOf, readBatchSettings, type BatchSettings } from './rows/batch-settings.ts'
import type { BatchDeps } from './rows/deps.ts'
import { secondsOfBatch } from './run/pace.ts'
import { JsonSettings } from './input/json-input.ts'
import { readInput } from './input/read-input.ts'
import { laneOf } from './input/uploads.ts'
import { readRow, rowText, subjectOf, type RowText } from './rows/row-question.ts'
import { checkPermissions, noRows, rowsOfStep, tooManyRows, type Submission } from './submit-batch.ts'

/** The expected outcome of a batch. All figures but `rows` and `invalid` count distinct questions. */
export interface BatchPreview {
  kind: Kind
  rows: number
  invalid: number
  distinct: number
  /** How many of these the store has, of any age. */
  inStore: number
  /** How many are answered from the store, without a provider. */
  fresh: number
  /** How many are remembered misses; they cost nothing. */
  notFound: number
  creditsAtMost: number
  /** Estimated from the pace of rows; a slow provider adds to it. */
  seconds: number
}

/** A question: all rows with the same question are paid once. */
interface Asked {
  by: 'lookup' | 'match'
  /** The stored state; matches without an id are not searched. */
  state: StoredState
}

const namesAtOnce = 500
const nothing: StoredState = { fetchedAt: null, thin: false, notFoundAt: null, provider: null }

/** Reads a body to its end and estimates the cost of a batch. Nothing is stored, and no provider is asked. */
export async function previewBatch(deps: BatchDeps, caller: Caller, submission: Submission): Promise<BatchPreview> {
  const { type, bytes, query, spendTag } = submission
  const body = new JsonSettings(isBatchSetting)
  const readSettings = () => {
    const settings = readBatchSettings(new Map([...query, ...body.values]), spendTag, body.complaints)
    checkPermissions(caller, settings)
    return settings
  }
  // A JSON body contains its settings, before or after the ids.
  if (type !== 'application/json') readSettings()
  const preview = new Preview(deps, caller)
  const early: RowText[] = []
  const source = { type, bytes, mapping: mappingOf(query), settings: body, header: [] }
  for await (const read of readInput(source)) {
    const row = rowText(read)
    const before = preview.rows + early.length
    if (before >= deps.rules.rowsAtMost) throw tooManyRows(deps.rules.rowsAtMost)
    if (before % rowsOfStep === 0) await deps.uploads.next(laneOf(caller))
    const kind = kinds.find((each) => each === (body.values.get('kind') ?? query.get('kind')))
    if (kind) await preview.add(kind, row)
    else early.push(row)
  }
  const settings = readSettings()
  for (const row of early) await preview.add(settings.kind, row)
  if (preview.rows === 0) throw noRows(type)
  return preview.end(settings)
}

/** Counts rows as they arrive. Questions are remembered by a short hash, so memory does not grow with their length. */
class Preview {
  readonly #deps: BatchDeps
  readonly #caller: Caller
  readonly #seen = new Map<string, Asked>()
  readonly #counts = { inStore: 0, fresh: 0, notFound: 0 }
  /** The highest price of an answer from the store, by kind of question and thinness of the copy. */
  readonly #fromStore = new Map<string, number>()
  #waiting: { name: AskedName; asked: Asked }[] = []
  #invalid = 0
  rows = 0

  constructor(deps: BatchDeps, caller: Caller) {
    this.#deps = deps
    this.#caller = caller
  }

  get #isSample(): boolean {
    return this.#caller.mode === 'test'
  }

  async add(kind: Kind, row: RowText): Promise<void> {
    this.rows++
    const { secret } = this.#deps.lookup
    const question = readRow(this.#deps.platformHosts, kind, row)
    const subject = subjectOf(secret, 'preview', question)
    if (question.by === null || subject === null) return void this.#invalid++
    if (this.#seen.has(subject)) return
    const asked = { by: question.by, state: nothing }
    this.#seen.set(subject, asked)
    const identifier = question.by === 'lookup' ? question.identifier : question.ask.named
    if (this.#isSample || !identifier) return
    const { type, value } = identifier
    this.#waiting.push({ name: { type, value, hash: suppressionHash(secret, kind, identifier) }, asked })
    if (this.#waiting.length === namesAtOnce) await this.#ask(kind)
  }

  async end(settings: BatchSettings): Promise<BatchPreview> {
    const { kind } = settings
    await this.#ask(kind)
    let creditsAtMost = 0
    if (!this.#isSample) for (const asked of this.#seen.values()) creditsAtMost += this.#priceOf(settings, asked)
    const counts = { rows: this.rows, invalid: this.#invalid, distinct: this.#seen.size, ...this.#counts }
    return { kind, ...counts, creditsAtMost, seconds: this.#seconds() }
  }

  #seconds(): number {
    const looked = this.rows - this.#invalid
    if (this.#isSample || looked === 0) return 0
    const fetches = this.#seen.size - this.#counts.fresh - this.#counts.notFound
    return secondsOfBatch({ rows: looked, fetches })
  }

  async #ask(kind: Kind): Promise<void> {
    const asked = this.#waiting
    this.#waiting = []
    if (asked.length === 0) return
    const states = await this.#deps.store.batches.storedAmong({ kind, names: asked.map(({ name }) => name) })
    for (const [index, { asked: one }] of asked.entries())
      one.state = onRoute(this.#caller.route, states[index] ?? nothing)
  }

  /** The highest price of a row under the rules of a lookup. */
  #priceOf(settings: BatchSettings, { by, state: { fetchedAt, thin, notFoundAt } }: Asked): number {
    const { kind, maxAgeDays, bypassCache: bypass, include } = settings
    const { rules, prices } = this.#deps.lookup
    const now = this.#deps.clock.now()
    const known = {
      copyAgeMs: fetchedAt === null ? null : ageOf(fetchedAt, now),
      notFoundAgeMs: notFoundAt === null ? null : ageOf(notFoundAt, now),
      cooling: false,
    }
    const ask = { maxAgeDays, bypassCache: bypass, onlyStored: false, refuseStale: false }
    const { action } = planFreshness(ask, known, rules.freshness)
    const book = prices.at(now)
    const priced = priceAsk(this.#caller, { identifier: { kind }, freshness: ask, include, pricedAs: { by } })
    if (fetchedAt !== null) this.#counts.inStore++
    if (action === 'fetch') return book.highest(priced)
    this.#counts[action === 'fail' ? 'notFound' : 'fresh']++
    if (action === 'fail') return 0
    const name = `${by} ${thin}`
    const price = this.#fromStore.get(name) ?? book.atMost(priced, { source: 'store', thin, changed: false })
    this.#fromStore.set(name, price)
    return price
  }
}

/** A copy that the environment may not be served is ignored, so the row costs at most a fetch. */
function onRoute(route: Route, state: StoredState): StoredState {
  const { provider, fetchedAt, denials } = state
  const denied = deniedAt(route, denials)
  const isDenied = denied !== null && (fetchedAt ?? 0) < denied
  return provider === null || (mayUse(route, provider) && !isDenied) ? state : { ...state, fetchedAt: null }
}
