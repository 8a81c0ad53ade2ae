import { ageOf } from '../foundation/clock.ts'
import { hash } from 'node:crypto'
import { kinds, type Kind } from '@vitae/contract'
import type { Caller } from '../accounts/key-cache.ts'
import { Failure } from '../foundation/failure.ts'
import { deniedAt, mayUse, type Route } from '../foundation/environments/route.ts'
import { planFreshness } from '../lookup/freshness.ts'
import { priceAsk } from '../lookup/pay.ts'
import { identifierName } from '../lookup/record-cache.ts'
import type { AskedName, StoredState } from './store/stored-among.ts'
import { parseIdentifier } from '../records/identifiers/parse-identifier.ts'
import { suppressionHash } from '../records/suppression/suppression-hash.ts'
import { readBatchSettings, type BatchSettings } from './batch-settings.ts'
import type { BatchDeps } from './deps.ts'
import { secondsOfBatch } from './run/pace.ts'
import { readInput } from './input/read-input.ts'
import { checkPermissions, noRows, tooManyRows, type Submission } from './submit-batch.ts'

/** What a batch would do, said without doing it. All but `rows` and `invalid` count different ids. */
export interface BatchPreview {
  kind: Kind
  rows: number
  invalid: number
  distinct: number
  /** Of these the store has a copy, of whatever age. */
  inStore: number
  /** These are answered from the store, without a provider. */
  fresh: number
  /** The provider said lately that it does not know these; they cost nothing. */
  notFound: number
  creditsAtMost: number
  /** By the key's share of its rate limit and the pace of fetches; a slow provider adds to it. */
  seconds: number
}

/** The rows that name one record, and what the store has of it. */
interface Repeats {
  rows: number
  state: StoredState
}

const namesAtOnce = 500
const nothing: StoredState = { fetchedAt: null, thin: false, notFoundAt: null, provider: null }

/** Reads a body to its end and says what a batch of it would cost. Nothing is kept, and nobody is asked. */
export async function previewBatch(deps: BatchDeps, caller: Caller, submission: Submission): Promise<BatchPreview> {
  const { type, bytes, query, spendTag } = submission
  const body = new Map<string, unknown>()
  const readSettings = () => {
    const settings = readBatchSettings(new Map<string, unknown>([...query, ...body]), spendTag)
    checkPermissions(caller, settings)
    return settings
  }
  // JSON says how it is looked up in its body, before or behind the ids.
  if (type !== 'application/json') readSettings()
  const preview = new Preview(deps, caller)
  const early: (string | null)[] = []
  for await (const input of readInput({ type, bytes, column: query.get('column') ?? null, settings: body })) {
    if (preview.rows + early.length >= deps.rules.rowsAtMost) throw tooManyRows(deps.rules.rowsAtMost)
    const kind = kinds.find((each) => each === (body.get('kind') ?? query.get('kind')))
    if (kind) await preview.add(kind, input)
    else early.push(input)
  }
  const settings = readSettings()
  for (const input of early) await preview.add(settings.kind, input)
  if (preview.rows === 0) throw noRows(type)
  return preview.end(settings)
}

/** Counts rows as they come. Each different id is remembered by a short hash, so memory does not grow with their length. */
class Preview {
  readonly #deps: BatchDeps
  readonly #caller: Caller
  readonly #seen = new Map<string, Repeats>()
  readonly #counts = { inStore: 0, fresh: 0, notFound: 0 }
  #waiting: { name: AskedName; repeats: Repeats }[] = []
  #invalid = 0
  rows = 0

  constructor(deps: BatchDeps, caller: Caller) {
    this.#deps = deps
    this.#caller = caller
  }

  get #isSample(): boolean {
    return this.#caller.mode === 'test'
  }

  async add(kind: Kind, input: string | null): Promise<void> {
    this.rows++
    const identifier = input === null ? null : this.#parsed(kind, input)
    if (!identifier) return void this.#invalid++
    const digest = hash('sha256', identifierName(identifier), 'base64').slice(0, 22)
    const known = this.#seen.get(digest)
    if (known) return void known.rows++
    const repeats = { rows: 1, state: nothing }
    this.#seen.set(digest, repeats)
    if (this.#isSample) return
    const { type, value } = identifier
    const hashed = suppressionHash(this.#deps.lookup.secret, kind, identifier)
    this.#waiting.push({ name: { type, value, hash: hashed }, repeats })
    if (this.#waiting.length === namesAtOnce) await this.#ask(kind)
  }

  async end(settings: BatchSettings): Promise<BatchPreview> {
    const { kind } = settings
    await this.#ask(kind)
    const isRepeatFree = this.#deps.lookup.rules.repeatFreeDays > 0
    let creditsAtMost = 0
    if (!this.#isSample)
      for (const { rows, state } of this.#seen.values())
        creditsAtMost += this.#priceOf(settings, state) * (isRepeatFree ? 1 : rows)
    const counts = { rows: this.rows, invalid: this.#invalid, distinct: this.#seen.size, ...this.#counts }
    return { kind, ...counts, creditsAtMost, seconds: this.#seconds() }
  }

  #seconds(): number {
    const { rate } = this.#caller
    const looked = this.rows - this.#invalid
    if (this.#isSample || looked === 0) return 0
    const fetches = this.#seen.size - this.#counts.fresh - this.#counts.notFound
    return secondsOfBatch({ rows: looked, fetches, rate, share: this.#deps.rules.share })
  }

  #parsed(kind: Kind, input: string) {
    try {
      return parseIdentifier(kind, input, this.#deps.platformHosts)
    } catch (error) {
      if (error instanceof Failure) return null
      throw error
    }
  }

  async #ask(kind: Kind): Promise<void> {
    const asked = this.#waiting
    this.#waiting = []
    if (asked.length === 0) return
    const states = await this.#deps.store.storedAmong({ kind, names: asked.map(({ name }) => name) })
    for (const [index, { repeats }] of asked.entries())
      repeats.state = onRoute(this.#caller.route, states[index] ?? nothing)
  }

  /** What a row costs at most by the rules of a lookup. */
  #priceOf(settings: BatchSettings, { fetchedAt, thin, notFoundAt }: StoredState): number {
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
    const priced = priceAsk(this.#caller, { identifier: { kind }, freshness: ask, include })
    if (fetchedAt !== null) this.#counts.inStore++
    if (action === 'fetch') return book.highest(priced)
    this.#counts[action === 'fail' ? 'notFound' : 'fresh']++
    return action === 'fail'
      ? 0
      : book.priceOf(priced, { source: 'store', thin, changed: false, has: () => true }).credits
  }
}

/** A copy that the environment may not be served is none, so a row costs at most what a fetch does. */
function onRoute(route: Route, state: StoredState): StoredState {
  const { provider, fetchedAt, denials } = state
  const denied = deniedAt(route, denials)
  const isDenied = denied !== null && (fetchedAt ?? 0) < denied
  return provider === null || (mayUse(route, provider) && !isDenied) ? state : { ...state, fetchedAt: null }
}
