import type { Watch, WatchList, WatchRemoved } from './contract.generated.ts'
import { sendOptions, type ApiRequest } from './lookup-request.ts'
import { parseObject } from './parse-object.ts'
import { sendRequest } from './send-lookup.ts'
import type { Settings } from './settings.ts'

type CallOptions = { signal?: AbortSignal; timeoutMs?: number }

/** What is watched, and how often it is looked at. */
export type NewWatch = CallOptions & {
  kind: 'people' | 'companies'
  /** Whatever the lookup of this kind takes. */
  id: string
  /** 7 for a new watch unless given. */
  everyDays?: number
  note?: string | null
}

/** Records that are looked at again and again, so that the environment hears of their changes. */
export type Watches = {
  /** Watches a record. One that is watched already takes the new settings. */
  create(watch: NewWatch): Promise<Watch>
  /** A page of the environment's watches; `next` of one page is the `after` of the following one. */
  list(options?: CallOptions & { limit?: number; after?: string }): Promise<WatchList>
  /** Ends a watch. */
  delete(id: string, options?: CallOptions): Promise<WatchRemoved>
}

/** The calls for watches. All of them may be repeated, so they are retried like lookups. */
export function openWatches(settings: Settings): Watches {
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
    create: ({ kind, id, everyDays, note, ...options }) =>
      send(
        { method: 'POST', path: '/v1/watches', body: JSON.stringify({ kind, id, every_days: everyDays, note }) },
        options,
      ),
    list: ({ limit, after, ...options } = {}) => {
      const query = new URLSearchParams()
      if (limit !== undefined) query.set('limit', String(limit))
      if (after !== undefined) query.set('after', after)
      return send({ path: `/v1/watches?${query.toString()}` }, options)
    },
    delete: (id, options = {}) => send({ method: 'DELETE', path: `/v1/watches/${encodeURIComponent(id)}` }, options),
  }
}
