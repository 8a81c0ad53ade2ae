import type { Kind } from '@vitae/contract'
import { parseIdempotencyKey } from '../../credits/idempotency-key.ts'
import type { Lookup } from '../../lookup/lookup.ts'
import { identifierName } from '../../lookup/record-cache.ts'
import { parseIdentifier } from '../../records/identifiers/parse-identifier.ts'
import type { Progress } from './authorize.ts'
import { parseCacheDirectives } from './cache-directives.ts'
import type { LookupRequest } from './lookup-request.ts'
import { parseLookupQuery } from './parse-lookup-query.ts'

/** What a query says, without what belongs to one call alone. */
type Question = Pick<Lookup, 'identifier' | 'name' | 'include'> & { maxAgeDays: number | null; bypassCache: boolean }

const keptAtMost = 4_000
const keptLength = 200

/** Reads lookups. Callers ask the same question again and again, so that those which were understood are kept. */
export class LookupReader {
  readonly #hosts: readonly string[]
  readonly #kept: Record<Kind, Map<string, Question>> = { people: new Map(), companies: new Map() }

  constructor(platformHosts: readonly string[]) {
    this.#hosts = platformHosts
  }

  read({ kind, search, headers }: LookupRequest, { requestId, startedAt }: Progress): Lookup {
    const { identifier, name, include, maxAgeDays, bypassCache } =
      this.#kept[kind].get(search) ?? this.#ask(kind, search)
    const { onlyStored, refuseStale } = parseCacheDirectives(headers.cacheControl)
    return {
      requestId,
      startedAt,
      identifier,
      name,
      include,
      freshness: { maxAgeDays, bypassCache, onlyStored, refuseStale },
      idempotencyKey: parseIdempotencyKey(headers.idempotencyKey),
    }
  }

  #ask(kind: Kind, given: string): Question {
    // A piece of a text keeps all of it alive, headers and key included: what is kept owns its bytes.
    const search = Buffer.from(given).toString()
    const query = parseLookupQuery(kind, search)
    const identifier = parseIdentifier(kind, query.id, this.#hosts)
    const question: Question = {
      identifier,
      name: identifierName(identifier),
      include: {
        contact: query.includeContactInfo,
        network: query.includeNetworkInfo,
        verifications: query.getVerificationDetails,
      },
      maxAgeDays: query.maxAgeDays,
      bypassCache: query.bypassCache,
    }
    const kept = this.#kept[kind]
    if (kept.size >= keptAtMost) kept.clear()
    if (search.length <= keptLength) kept.set(search, question)
    return question
  }
}
