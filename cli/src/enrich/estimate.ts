import { type ProfileOptions, type VitaeClient, VitaeError } from '@vitae/client'
import type { Account, Kind, ReadPath } from '@vitae/contract'
import { CommandError } from '../command-error.ts'
import { readAsked } from './identifier-of.ts'
import type { InputRow } from './input/input-row.ts'
import type { Input } from './input/read-rows.ts'

interface Deps {
  kind: Kind
  input: Input
  idOf(row: InputRow): string
  /** Rows are matched, at the match price. */
  matched: boolean
  baseUrl: string
  /** Null without a key; then only the published price is known. */
  client: VitaeClient | null
  options: Omit<ProfileOptions, 'fields'>
  /** A background job is paced by the service; otherwise the key's whole rate limit is available. */
  background: boolean
}

/** The price of a job. The last four fields need a key. */
export interface Estimate {
  rows: number
  empty: number
  distinct: number
  price: number
  most_credits: number
  invalid?: number
  stored?: number
  available_credits?: number | null
  estimated_seconds?: number
}

/** The sums of the service's previews so far. */
interface Priced {
  invalid: number
  stored: number
  credits: number
  available: number | null
  seconds: number
}

const paths: Record<Kind, ReadPath> = { people: '/v1/people/profile', companies: '/v1/companies/details' }

/** Limit on memory. Further ids count as distinct, so the price stays an upper bound. */
const rememberedAtMost = 1_000_000
const idsAtOnce = 10_000

/** Estimates a job without a lookup. The upper bound assumes that every distinct identifier is found. */
export async function estimate(deps: Deps): Promise<Estimate> {
  const { kind, input, idOf, baseUrl, client } = deps
  const seen = new Set<string>()
  const counts = { rows: 0, empty: 0, distinct: 0 }
  const priced: Priced = { invalid: 0, stored: 0, credits: 0, available: null, seconds: 0 }
  let waiting: string[] = []
  const { rows } = await input.open()
  for await (const row of rows) {
    counts.rows++
    const id = row.problem === null ? idOf(row) : ''
    if (id === '') counts.empty++
    if (id === '' || seen.has(id)) continue
    counts.distinct++
    if (seen.size < rememberedAtMost) seen.add(id)
    if (client && waiting.push(id) === idsAtOnce) {
      await askPrice(deps, client, waiting, priced)
      waiting = []
    }
  }
  if (!client) {
    const price = await publishedPrice(kind, baseUrl)
    return { ...counts, price, most_credits: counts.distinct * price }
  }
  await askPrice(deps, client, waiting, priced)
  // One call, because it counts in the key's rate limit.
  const { prices, rate_limit: rate } = await asCommand(client.account())
  const price = prices.highest[deps.matched ? 'match' : kind]
  const seconds = deps.background ? priced.seconds : secondsOf(rate, counts.distinct)
  const { invalid, stored, credits, available } = priced
  const money = { most_credits: credits, available_credits: available }
  return { ...counts, invalid, stored, price, ...money, estimated_seconds: seconds }
}

/** Adds the preview of some ids; a job may need several requests. */
async function askPrice(deps: Deps, client: VitaeClient, ids: string[], priced: Priced): Promise<void> {
  if (ids.length === 0) return
  const { kind, options } = deps
  const preview = await asCommand(client.batches.preview({ kind, ids: ids.map(readAsked), ...options })).catch(
    (error: unknown) => {
      // The service's VITAE_BATCH_ROWS may be lower, so halve the request.
      if (ids.length > 1 && error instanceof CommandError && error.code === 'body_too_large') return null
      throw error
    },
  )
  if (!preview) {
    const half = Math.ceil(ids.length / 2)
    for (const part of [ids.slice(0, half), ids.slice(half)]) await askPrice(deps, client, part, priced)
    return
  }
  priced.invalid += preview.invalid
  priced.stored += preview.stored
  priced.credits += preview.highest_credits
  priced.available = preview.available_credits
  priced.seconds += preview.estimated_seconds
}

/** Duration by the key's rate limit. The first window starts at once; slow providers add time. */
function secondsOf(rate: Account['rate_limit'], calls: number): number {
  return Math.max(0, Math.ceil(calls / rate.limit) - 1) * rate.window_seconds
}

async function asCommand<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    if (!(error instanceof VitaeError)) throw error
    throw new CommandError(`${error.code}: ${error.detail}`, { code: error.code, cause: error })
  }
}

/** An estimate as text, shown before credits are spent. */
export function describeEstimate(estimate: Estimate, maxCredits: number | null): string {
  const { rows, empty, distinct, invalid = 0, stored = 0, most_credits: most } = estimate
  const { available_credits: available, estimated_seconds: seconds = 0 } = estimate
  const unusable = empty + invalid
  return [
    `${rows} rows, ${distinct} distinct ids${unusable > 0 ? `, ${unusable} that cannot be looked up` : ''}`,
    `The store answers ${stored} of them.`,
    `It costs at most ${most} credits${maxCredits === null ? '' : ` (--max-credits ${maxCredits})`}; ${available ?? 'any number'} are available.`,
    `It takes ${seconds === 0 ? 'less than a minute' : `about ${duration(seconds)}`}, and longer where providers are slow.`,
  ].join('\n')
}

function duration(seconds: number): string {
  if (seconds < 90) return `${seconds} seconds`
  return seconds < 5_400 ? `${Math.round(seconds / 60)} minutes` : `${(seconds / 3_600).toFixed(1)} hours`
}

/** The highest price of one lookup with this key. */
export async function highestPrice(client: VitaeClient, kind: Kind | 'match'): Promise<number> {
  return (await asCommand(client.account())).prices.highest[kind]
}

/** The published price, for use without a key; an environment may have its own prices. */
async function publishedPrice(kind: Kind, baseUrl: string): Promise<number> {
  try {
    const response = await fetch(`${baseUrl.replace(/\/+$/, '')}/openapi.json`, { signal: AbortSignal.timeout(10_000) })
    const document = (await response.json()) as { paths: Record<string, { get: { 'x-credit-price'?: number } }> }
    return document.paths[paths[kind]]?.get['x-credit-price'] ?? 1
  } catch (error) {
    throw new CommandError(`No Vitae answers at ${baseUrl}. Is it running, and is --url right?`, { cause: error })
  }
}
