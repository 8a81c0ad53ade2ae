import type { Fault } from './fault.ts'

const answer = 'lookup/answer-lookup.ts'

/** Mistakes about the served record, its age, and the providers that are asked. */
export const recordsFaults: readonly Fault[] = [
  {
    name: 'a test key with an idempotency key is answered like a live one',
    file: 'http/lookup/serve-lookup.ts',
    in: 'serveLookup',
    find: "caller.mode === 'test'",
    replace: "caller.mode === 'test' && lookup.idempotencyKey === null",
  },
  {
    name: 'an erased record stays in the cache',
    file: 'app/deps/operator-deps.ts',
    in: 'recordsChanged',
    find: 'cache.clear()',
    replace: 'void 0',
  },
  {
    name: 'a fetch of an erased subject is kept and served',
    file: 'records/saving/save-fetch.ts',
    in: 'saveFetch',
    find: 'listed.size > 0 && !(await isSomeoneElse(tx, dialect, { kind, asked: identifier, record }, listed))',
    replace: 'listed.size < 0',
  },
  {
    name: 'an old copy is called live',
    file: 'lookup/fetch/fetch-or-fall-back.ts',
    in: 'fetchOrFallBack',
    find: "return { record: fallback, source: 'stale_fallback' }",
    replace: "return { record: fallback, source: 'live' }",
  },
  {
    name: 'a copy that is too old is served',
    file: 'lookup/asked/freshness.ts',
    in: 'planFreshness',
    find: 'known.copyAgeMs <= maxAgeMs',
    replace: 'known.copyAgeMs <= maxAgeMs * 2',
  },
  {
    name: 'a newer fetch does not replace the cached copy',
    file: 'lookup/fetch/keep-answer.ts',
    in: 'keepFound',
    find: 'deps.cache.moved(name, ready, save.identity.aliases, generation)',
    replace: 'void [name, generation]',
  },
  {
    name: 'bypass_cache is answered from the store',
    file: 'lookup/asked/freshness.ts',
    in: 'wantsFresh',
    find: 'ask.bypassCache || effectiveMaxAgeMs(ask.maxAgeDays, rules) === 0',
    replace: 'effectiveMaxAgeMs(ask.maxAgeDays, rules) === 0',
  },
  {
    name: 'in an outage a copy of any age is served',
    file: 'lookup/asked/freshness.ts',
    in: 'planFreshness',
    find: 'known.copyAgeMs <= rules.staleMaxMs',
    replace: 'known.copyAgeMs <= rules.staleMaxMs * 9',
  },
  {
    name: 'a copy stays although the provider no longer has the record',
    file: 'records/saving/save-miss.ts',
    in: 'saveMiss',
    find: 'await withdrawAlias(tx, { kind, alias: identifier, at })',
    replace: 'void [withdrawAlias, at]',
  },
  {
    name: 'every caller who misses a record fetches it',
    file: 'foundation/pacing/single-flight.ts',
    in: 'join',
    find: 'if (running) return { ...running, leads: false }',
    replace: 'void running',
  },
  {
    name: 'an excluded provider is asked',
    file: 'providers/chain/chain.ts',
    in: 'onRoute',
    find: 'return route?.flatMap((name) => links.find(({ provider }) => provider.name === name) ?? []) ?? links',
    replace: 'return route?.length === 0 ? [] : links',
  },
  {
    name: 'environments with different routes share a fetch',
    file: 'lookup/fetch/fetch-record.ts',
    in: 'fetchRecord',
    find: 'onRoute(identifierKey(need.identifier), route)',
    replace: 'identifierKey(need.identifier)',
  },
  {
    name: 'a copy of an excluded provider is served from the cache',
    file: 'lookup/recall/recall-record.ts',
    in: 'recallHot',
    find: 'isOnRoute(record, route)',
    replace: '(route?.length !== 0 || isOnRoute(record, route))',
  },
  {
    name: 'a retry exceeds the cost cap of a call',
    file: 'providers/transport/send-with-retries.ts',
    in: 'send',
    find: 'const mayRetry = attempt <= retries && (meter?.fits() ?? true)',
    replace: 'const mayRetry = attempt <= retries',
  },
  {
    name: 'a match below its threshold is billed',
    file: 'lookup/recall/demands.ts',
    in: 'lacksOf',
    find: 'const isUnlikely = minLikelihood && record.match && record.match.likelihood < minLikelihood',
    replace: 'const isUnlikely = minLikelihood && record.match && record.match.likelihood < minLikelihood / 4',
  },
  {
    name: 'somebody is served although their address is suppressed',
    file: 'records/contact-index/contact-rows.ts',
    in: 'contactsOf',
    find: '  if (entityIds.length === 0) return []',
    replace: '  if (entityIds.length < 9) return []',
  },
  {
    name: 'the guard checks a stored record after its charge',
    file: answer,
    in: 'serveBy',
    find: 'const known = withDemands(call.lookup, asSeen(deps, call.lookup, recalled))',
    replace: `const known = withDemands(call.lookup, asSeen(deps, call.lookup, recalled))
  if (recalled.record && !known.record)
    return serveStored(deps, call, recalled.record, 'store').then(() => {
      throw notFound()
    })`,
  },
  {
    name: 'a stranger who was fetched is served',
    file: 'lookup/recall/demands.ts',
    in: 'lacksOf',
    find: 'contradictedIn(record, expect).map((name) => wordOf(name, expect))',
    replace: 'contradictedIn(record, expect).slice(1).map((name) => wordOf(name, expect))',
  },
]
