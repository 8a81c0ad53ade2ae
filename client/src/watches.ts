import type { Watch, WatchList, WatchRemoved } from './contract.generated.ts'
import type { Credits } from './answers/answer.ts'
import { readCredits } from './answers/answer-headers.ts'
import { heldPerson, sendOptions, type ApiRequest } from './calls/lookup-request.ts'
import type { CompanyMatch, PersonMatch } from './calls/options.ts'
import { parseObject } from './answers/parse-object.ts'
import { sendRequest } from './calls/send-lookup.ts'
import type { Settings } from './calls/settings.ts'

type CallOptions = { signal?: AbortSignal; timeoutMs?: number }

/**
 * The watched record and its refresh interval. `id` is any identifier of a lookup of this kind. `match` contains known
 * facts and costs the price of a match.
 */
export type NewWatch = CallOptions & {
  /** Default for a new watch: 7. */
  everyDays?: number
  note?: string | null
} & (
    | { kind: 'people' | 'companies'; id: string; match?: undefined }
    | { kind: 'people'; match: Sure<Omit<PersonMatch, 'profileId'>>; id?: undefined }
    | { kind: 'companies'; match: Sure<Omit<CompanyMatch, 'companyId'>>; id?: undefined }
  )

/** `minLikelihood` is the lowest likelihood that counts as a match; default: 0.8. */
type Sure<Held> = Held & { minLikelihood?: number }

/** Makes a call at the price of a match, within the client's limit. */
type PaidMatch = <Result extends { credits: Credits }>(
  request: ApiRequest,
  call: () => Promise<Result>,
) => Promise<Result>

/** Records that the service refreshes regularly, so that the environment is notified of their changes. */
export type Watches = {
  /** Watches a record. A record that is already watched gets the new settings. */
  create(watch: NewWatch): Promise<Watch>
  /** A page of the environment's watches. Pass `next` of one page as `after` to get the following one. */
  list(options?: CallOptions & { limit?: number; after?: string }): Promise<WatchList>
  /** Ends a watch. */
  delete(id: string, options?: CallOptions): Promise<WatchRemoved>
}

/** The watch methods of the client. All are safe to repeat, so they are retried like lookups. */
export function openWatches(settings: Settings, paid: PaidMatch): Watches {
  const send = async <Result>(
    request: Pick<ApiRequest, 'method' | 'path' | 'body'>,
    options: CallOptions,
  ): Promise<Result> =>
    sendRequest(
      settings,
      { ...request, ...sendOptions({}) },
      options,
      (_headers, body) => parseObject(body) as Result | null,
    )
  return {
    create: async ({ kind, id, match, everyDays, note, ...options }) => {
      const held = match && { ...heldPerson(match), ...ofCompany(match), min_likelihood: match.minLikelihood }
      const body = JSON.stringify({ kind, id, match: held, every_days: everyDays, note })
      const request = { method: 'POST', path: '/v1/watches', body, ...sendOptions({}) } as const
      if (!held) return send(request, options)
      const { watch } = await paid(request, () =>
        sendRequest(settings, request, options, (headers, text) => {
          const made = parseObject(text) as Watch | null
          return made && { watch: made, credits: readCredits(headers) }
        }),
      )
      return watch
    },
    list: ({ limit, after, ...options } = {}) => {
      const query = new URLSearchParams()
      if (limit !== undefined) query.set('limit', String(limit))
      if (after !== undefined) query.set('after', after)
      return send({ path: `/v1/watches?${query.toString()}` }, options)
    },
    delete: (id, options = {}) => send({ method: 'DELETE', path: `/v1/watches/${encodeURIComponent(id)}` }, options),
  }
}

function ofCompany({ domain, country }: CompanyMatch) {
  return { domain, country }
}
