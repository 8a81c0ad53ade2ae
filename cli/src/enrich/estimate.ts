import { type VitaeClient, VitaeError } from '@vitae/client'
import type { Kind, ReadPath } from '@vitae/contract'
import { checkKey, CommandError, noVitae } from '../command-error.ts'
import { counted } from '../terminal/output.ts'
import { readAsked } from './identifier-of.ts'
import type { BatchOptions } from './run-batches.ts'

/** The price of a job. The last four fields need a key. */
export interface Estimate {
  rows: number
  empty: number
  distinct: number
  most_credits: number
  invalid?: number
  stored?: number
  available_credits?: number | null
  estimated_seconds?: number
}

interface Deps {
  client: VitaeClient
  kind: Kind
  options: BatchOptions
}

const paths: Record<Kind, ReadPath> = { people: '/v1/people/profile', companies: '/v1/companies/details' }

/** The default of VITAE_BATCH_ROWS. */
const rowsAtMost = 100_000

/** The previews of a job's batches, and how many questions each of these batches has. */
export async function previewBatches({ client, kind, options }: Deps, questions: readonly string[]) {
  const sum = { invalid: 0, stored: 0, most_credits: 0, available_credits: null as number | null, estimated_seconds: 0 }
  const rows: number[] = []
  let size = rowsAtMost
  for (let from = 0; from < questions.length;) {
    const part = questions.slice(from, from + size)
    const preview = await asCommand(client.batches.preview({ kind, ids: part.map(readAsked), ...options })).catch(
      (error: unknown) => {
        // The service's VITAE_BATCH_ROWS may be lower, or the questions may be long.
        if (part.length > 1 && error instanceof CommandError && error.code === 'body_too_large') return null
        throw error
      },
    )
    if (!preview) {
      size = Math.ceil(part.length / 2)
      continue
    }
    sum.invalid += preview.invalid
    sum.stored += preview.stored
    sum.most_credits += preview.highest_credits
    sum.available_credits = preview.available_credits
    sum.estimated_seconds += preview.estimated_seconds
    rows.push(part.length)
    from += part.length
  }
  return { rows, sum }
}

async function asCommand<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    if (!(error instanceof VitaeError)) throw error
    throw new CommandError(messageOf(error), { code: error.code, cause: error })
  }
}

function messageOf({ code, status, detail }: VitaeError): string {
  return `${code}: ${detail}${status === 401 ? `. ${checkKey}` : ''}`
}

/** An estimate as text, shown before credits are spent. */
export function describeEstimate(estimate: Estimate, maxCredits: number | null): string {
  const { rows, empty, distinct, invalid = 0, stored = 0, most_credits: most } = estimate
  const { available_credits: available, estimated_seconds: seconds = 0 } = estimate
  const unusable = empty + invalid
  const limited = maxCredits !== null && maxCredits < most ? maxCredits : null
  return [
    `${counted(rows, 'row')}, ${counted(distinct, 'distinct id')}${unusable > 0 ? `, ${unusable} that cannot be looked up` : ''}`,
    `The store answers ${stored} of them.`,
    `It costs at most ${counted(limited ?? most, 'credit')}${limited === null ? '' : ` (--max-credits; ${most} for all rows)`}; ${available ?? 'any number'} are available.`,
    `This takes ${seconds < 60 ? 'less than a minute' : `about ${duration(seconds)}`}, and longer where providers are slow.`,
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
export async function publishedPrice(kind: Kind, baseUrl: string): Promise<number> {
  try {
    const response = await fetch(`${baseUrl.replace(/\/+$/, '')}/openapi.json`, { signal: AbortSignal.timeout(10_000) })
    const document = (await response.json()) as { paths: Record<string, { get: { 'x-credit-price'?: number } }> }
    return document.paths[paths[kind]]?.get['x-credit-price'] ?? 1
  } catch (error) {
    throw noVitae(baseUrl, error)
  }
}
