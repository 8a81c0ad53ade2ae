import type { Batch, BatchList, BatchPreview, BatchResultRow, SubmittedBatch } from './contract.generated.ts'
import { heldPerson, printDays, sendOptions, type ApiRequest } from './calls/lookup-request.ts'
import type { CompanyMatch, ExpectedPerson, PersonMatch } from './calls/options.ts'
import { parseObject } from './answers/parse-object.ts'
import { batchResults, type ResultsOptions } from './batch-results.ts'
import { sendRequest } from './calls/send-lookup.ts'
import type { Settings } from './calls/settings.ts'

type CallOptions = { signal?: AbortSignal; timeoutMs?: number }

/** A row of a batch: an id with the expected facts of its record, or known facts as in `match`. */
export type NewBatchRow = { id?: string; expect?: ExpectedPerson } & PersonMatch &
  CompanyMatch & {
    /** Further columns of the row. Its result returns them. */
    columns?: Readonly<Record<string, unknown>>
  }

/** The rows of a batch, and how they are looked up. Identical rows are paid once. */
export type NewBatch = CallOptions & {
  kind: 'people' | 'companies'
  ids: readonly (string | NewBatchRow)[]
  name?: string
  /** The batch never spends more than this. */
  maxCredits?: number
  maxAgeDays?: number
  bypassCache?: boolean
  includeContactInfo?: boolean
  includeNetworkInfo?: boolean
  getVerificationDetails?: boolean
  /** The only fields to return, as in the lookups. */
  fields?: readonly string[]
  /** Dotted paths such as `location.name`. Results contain only these values instead of the record. */
  paths?: readonly string[]
  /** Dotted paths that a record must have, as in the lookups. */
  require?: readonly string[]
  /** The expected facts of all rows, unless a row has its own. */
  expect?: ExpectedPerson
  /** The lowest likelihood that counts as a match. Default: 0.8. */
  minLikelihood?: number
  /** A repeated submission with the same key returns the same batch. Default: a random UUID. */
  idempotencyKey?: string
  spendTag?: string
}

export type WaitOptions = CallOptions & {
  /** Called after every poll of the batch. */
  onProgress?: (batch: Batch) => unknown
  /** The shortest time between two polls. Default: 1 second. It grows to 10 seconds for a long batch. */
  pollMs?: number
}

/** Lists of lookups that the service processes in the background. */
export type Batches = {
  /** Submits rows. A retry returns the same batch. */
  create(batch: NewBatch): Promise<SubmittedBatch>
  /** The expected cost of that batch, and how much of it is in the store. Free. */
  preview(batch: Omit<NewBatch, 'idempotencyKey'>): Promise<BatchPreview>
  get(id: string, options?: CallOptions): Promise<Batch>
  /** Newest first. Pass `next` of one page as `after` to get the following one. */
  list(options?: CallOptions & { limit?: number; after?: string }): Promise<BatchList>
  cancel(id: string, options?: CallOptions): Promise<Batch>
  resume(id: string, options?: CallOptions & { maxCredits?: number | null }): Promise<Batch>
  /**
   * Resolves when the batch has ended, or is paused until `resume` raises its `max_credits`. It waits through other
   * pauses.
   */
  wait(id: string, options?: WaitOptions): Promise<Batch>
  /** The finished rows in input order. After a broken connection it continues after the last row. */
  results(id: string, options?: ResultsOptions): AsyncGenerator<BatchResultRow, void, undefined>
}

const longestPollMs = 10_000

/** The batch methods of the client. */
export function openBatches(settings: Settings): Batches {
  const get = (id: string, options: CallOptions = {}) => send<Batch>(settings, { path: pathOf(id) }, options)
  return {
    create: (batch) => send(settings, newBatchRequest('/v1/batches', batch), batch),
    preview: (batch) => send(settings, newBatchRequest('/v1/batches/preview', batch), batch),
    get,
    list: ({ limit, after, ...options } = {}) => {
      const query = new URLSearchParams()
      if (limit !== undefined) query.set('limit', String(limit))
      if (after !== undefined) query.set('after', after)
      return send(settings, { path: `/v1/batches?${query.toString()}` }, options)
    },
    cancel: (id, options = {}) => send(settings, { method: 'POST', path: `${pathOf(id)}/cancel` }, options),
    resume: (id, { maxCredits, ...options } = {}) => {
      const body = JSON.stringify(maxCredits === undefined ? {} : { max_credits: maxCredits })
      return send(settings, { method: 'POST', path: `${pathOf(id)}/resume`, body }, options)
    },
    wait: (id, options = {}) => wait(settings, id, options, get),
    results: (id, options = {}) => batchResults(settings, `${pathOf(id)}/results`, options),
  }
}

async function send<Result>(
  settings: Settings,
  request: Pick<ApiRequest, 'method' | 'path' | 'body'>,
  options: CallOptions & { idempotencyKey?: string; spendTag?: string },
): Promise<Result> {
  const whole = { ...request, ...sendOptions(options) }
  return sendRequest(settings, whole, options, (_headers, body) => parseObject(body) as Result | null)
}

function newBatchRequest(path: string, batch: NewBatch): Pick<ApiRequest, 'method' | 'path' | 'body'> {
  const body = {
    kind: batch.kind,
    ids: batch.ids.map(rowOf),
    name: batch.name,
    max_credits: batch.maxCredits,
    max_age_days: batch.maxAgeDays === undefined ? undefined : Number(printDays(batch.maxAgeDays)),
    bypass_cache: batch.bypassCache,
    include_contact_info: batch.includeContactInfo,
    include_network_info: batch.includeNetworkInfo,
    get_verification_details: batch.getVerificationDetails,
    fields: batch.fields,
    paths: batch.paths,
    require: batch.require,
    expect: expectOf(batch.expect),
    min_likelihood: batch.minLikelihood,
  }
  return { method: 'POST', path, body: JSON.stringify(body) }
}

function rowOf(row: string | NewBatchRow): unknown {
  if (typeof row === 'string') return row
  const { id, expect, domain, country, columns, ...held } = row
  return { ...columns, id, expect: expectOf(expect), ...heldPerson(held), domain, country }
}

function expectOf(expect: ExpectedPerson | undefined) {
  if (!expect) return undefined
  const { firstName, lastName, companyName, companyDomain, countryCode } = expect
  return {
    first_name: firstName,
    last_name: lastName,
    company_name: companyName,
    company_domain: companyDomain,
    country_code: countryCode,
  }
}

function pathOf(id: string): string {
  return `/v1/batches/${encodeURIComponent(id)}`
}

async function wait(
  settings: Settings,
  id: string,
  { onProgress, pollMs = 1_000, ...options }: WaitOptions,
  get: Batches['get'],
): Promise<Batch> {
  const never = new AbortController().signal
  for (;;) {
    const batch = await get(id, options)
    onProgress?.(batch)
    const paused = batch.status === 'paused' && batch.pause_reason === 'max_credits_reached'
    if (paused || ['completed', 'cancelled', 'failed'].includes(batch.status)) return batch
    const half = ((batch.seconds_left ?? 0) * 1_000) / 2
    await settings.timing.sleep(Math.max(pollMs, Math.min(longestPollMs, half)), options.signal ?? never)
  }
}
