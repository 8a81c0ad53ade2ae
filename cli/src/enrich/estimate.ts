import type { Kind } from '@vitae/contract'
import { CommandError } from '../command-error.ts'
import { card, print } from '../terminal/output.ts'
import type { InputRow } from './input/input-row.ts'
import type { Input } from './input/read-rows.ts'

interface Deps {
  kind: Kind
  input: Input
  idOf(row: InputRow): string
  baseUrl: string
  json: boolean
}

const paths: Record<Kind, string> = { people: '/v1/people/profile', companies: '/v1/companies/details' }

/** Beyond so many the memory would grow with the input; they are counted as distinct, so the price is still the most. */
const rememberedAtMost = 1_000_000

/** Prices a job without one lookup: every distinct identifier found and paid for once is the most that it can cost. */
export async function estimate({ kind, input, idOf, baseUrl, json }: Deps): Promise<void> {
  const distinct = new Set<string>()
  let rows = 0
  let empty = 0
  let beyond = 0
  const { rows: inputRows } = await input.open()
  for await (const row of inputRows) {
    rows++
    const id = idOf(row)
    if (id === '') empty++
    else if (distinct.size < rememberedAtMost) distinct.add(id)
    else if (!distinct.has(id)) beyond++
  }
  const price = await priceOf(kind, baseUrl)
  const different = distinct.size + beyond
  const summary = { rows, empty, distinct: different, price, most_credits: different * price }
  print(json, summary, () => card(summary))
}

/** The price of a found row, from the service's own description. */
export async function priceOf(kind: Kind, baseUrl: string): Promise<number> {
  try {
    const response = await fetch(`${baseUrl.replace(/\/+$/, '')}/openapi.json`, { signal: AbortSignal.timeout(10_000) })
    const document = (await response.json()) as { paths: Record<string, { get: { 'x-credit-price'?: number } }> }
    return document.paths[paths[kind]]?.get['x-credit-price'] ?? 1
  } catch (error) {
    throw new CommandError(`No Vitae answers at ${baseUrl}. Is it running, and is --url right?`, { cause: error })
  }
}
