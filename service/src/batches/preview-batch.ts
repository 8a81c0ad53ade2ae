import { hash } from 'node:crypto'
import type { Kind } from '@vitae/contract'
import type { Caller } from '../accounts/key-cache.ts'
import { highestPrice, priceOf } from '../credits/prices.ts'
import { Failure } from '../foundation/failure.ts'
import { planFreshness } from '../lookup/freshness.ts'
import { identifierName } from '../lookup/record-cache.ts'
import type { AskedName, StoredState } from './store/stored-among.ts'
import { parseIdentifier } from '../records/identifiers/parse-identifier.ts'
import { suppressionHash } from '../records/suppression/suppression-hash.ts'
import { readBatchSettings, type BatchSettings } from './batch-settings.ts'
import type { BatchDeps } from './deps.ts'
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
}

/** The rows that name one record, and what each of them may cost. */
interface Repeats {
  rows: number
  price: number
}

const namesAtOnce = 500

/** Reads a CSV or NDJSON body to its end and says what a batch of it would cost. Nothing is kept, and nobody is asked. */
export async function previewBatch(deps: BatchDeps, caller: Caller, submission: Submission): Promise<BatchPreview> {
  const { type, bytes, query, spendTag } = submission
  if (type === 'application/json') throw new Failure('unsupported_media_type', { detail: 'Send CSV or NDJSON.' })
  const settings = readBatchSettings(query, spendTag)
  checkPermissions(caller, settings)
  const preview = new Preview(deps, settings, caller.mode)
  for await (const input of readInput({ type, bytes, column: query.get('column') ?? null, settings: new Map() })) {
    if (preview.rows >= deps.rules.rowsAtMost) throw tooManyRows(deps.rules.rowsAtMost)
    await preview.add(input)
  }
  if (preview.rows === 0) throw noRows(type)
  return preview.end()
}

/** Counts rows as they come. Each different id is remembered by a short hash, so memory does not grow with their length. */
class Preview {
  readonly #deps: BatchDeps
  readonly #settings: BatchSettings
  readonly #isSample: boolean
  readonly #seen = new Map<string, Repeats>()
  readonly #counts = { inStore: 0, fresh: 0, notFound: 0 }
  #waiting: { name: AskedName; repeats: Repeats }[] = []
  #invalid = 0
  rows = 0

  constructor(deps: BatchDeps, settings: BatchSettings, mode: Caller['mode']) {
    this.#deps = deps
    this.#settings = settings
    this.#isSample = mode === 'test'
  }

  async add(input: string | null): Promise<void> {
    this.rows++
    const { kind } = this.#settings
    const identifier = input === null ? null : this.#parsed(input)
    if (!identifier) return void this.#invalid++
    const digest = hash('sha256', identifierName(identifier), 'base64').slice(0, 22)
    const known = this.#seen.get(digest)
    if (known) return void known.rows++
    const repeats = { rows: 1, price: 0 }
    this.#seen.set(digest, repeats)
    if (this.#isSample) return
    const { type, value } = identifier
    const hashed = suppressionHash(this.#deps.lookup.secret, kind, identifier)
    this.#waiting.push({ name: { type, value, hash: hashed }, repeats })
    if (this.#waiting.length === namesAtOnce) await this.#ask()
  }

  async end(): Promise<BatchPreview> {
    await this.#ask()
    const isRepeatFree = this.#deps.lookup.rules.prices.repeatFreeDays > 0
    let creditsAtMost = 0
    for (const { rows, price } of this.#seen.values()) creditsAtMost += price * (isRepeatFree ? 1 : rows)
    const { rows } = this
    const { kind } = this.#settings
    return { kind, rows, invalid: this.#invalid, distinct: this.#seen.size, ...this.#counts, creditsAtMost }
  }

  #parsed(input: string) {
    try {
      return parseIdentifier(this.#settings.kind, input, this.#deps.platformHosts)
    } catch (error) {
      if (error instanceof Failure) return null
      throw error
    }
  }

  async #ask(): Promise<void> {
    const asked = this.#waiting
    this.#waiting = []
    if (asked.length === 0) return
    const { kind } = this.#settings
    const states = await this.#deps.store.storedAmong({ kind, names: asked.map(({ name }) => name) })
    for (const [index, { repeats }] of asked.entries()) repeats.price = this.#priceOf(states[index])
  }

  /** What a row costs at most by the rules of a lookup. */
  #priceOf({ fetchedAt, thin, notFoundAt }: StoredState = { fetchedAt: null, thin: false, notFoundAt: null }): number {
    const { kind, maxAgeDays, bypassCache: bypass } = this.#settings
    const { freshness, prices } = this.#deps.lookup.rules
    const now = this.#deps.clock.now()
    const known = {
      copyAgeMs: fetchedAt === null ? null : now - fetchedAt,
      notFoundAgeMs: notFoundAt === null ? null : now - notFoundAt,
      cooling: false,
    }
    const ask = { maxAgeDays, bypassCache: bypass, onlyStored: false, refuseStale: false }
    const { action } = planFreshness(ask, known, freshness)
    if (fetchedAt !== null) this.#counts.inStore++
    if (action === 'fetch') return highestPrice(prices, { kind, bypass })
    this.#counts[action === 'fail' ? 'notFound' : 'fresh']++
    return action === 'fail' ? 0 : priceOf(prices, { kind, source: 'store', thin, bypass })
  }
}
