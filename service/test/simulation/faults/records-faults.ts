import type { Fault } from './fault.ts'

const answer = 'lookup/answer-lookup.ts'

/** Mistakes about the served record, its age, and the providers that are asked. */
export const recordsFaults: readonly Fault[] = [
  {
    name: 'a test key with an idempotency key is answered like a live one',
    file: 'http/lookup/serve-lookup.ts',
    find: "caller.mode === 'test' ? answerSample",
    replace: "caller.mode === 'test' && lookup.idempotencyKey === null ? answerSample",
  },
  {
    name: 'an erased record stays in the cache',
    file: 'app/deps/operator-deps.ts',
    find: "cache.clear()\n      await peers.notify({ topic: 'records'",
    replace: "await peers.notify({ topic: 'records'",
  },
  {
    name: 'a fetch of an erased subject is kept and served',
    file: 'records/versions/save-fetch.ts',
    find: 'if (listed.size > 0 && !(await isSomeoneElse(tx, dialect, { kind, asked: identifier, record }, listed))) {',
    replace: 'if (listed.size < 0) {',
  },
  {
    name: 'an old copy is called live',
    file: 'lookup/fetch/fetch-or-fall-back.ts',
    find: "return { record: fallback, source: 'stale_fallback' }",
    replace: "return { record: fallback, source: 'live' }",
  },
  {
    name: 'a copy that is too old is served',
    file: 'lookup/freshness.ts',
    find: 'known.copyAgeMs <= maxAgeMs',
    replace: 'known.copyAgeMs <= maxAgeMs * 2',
  },
  {
    name: 'a newer fetch does not replace the cached copy',
    file: 'lookup/fetch/keep-answer.ts',
    find: 'deps.cache.moved(name, ready, save.identity.aliases, generation)',
    replace: 'void [name, generation]',
  },
  {
    name: 'bypass_cache is answered from the store',
    file: 'lookup/freshness.ts',
    find: 'return ask.bypassCache || effectiveMaxAgeMs',
    replace: 'return effectiveMaxAgeMs',
  },
  {
    name: 'in an outage a copy of any age is served',
    file: 'lookup/freshness.ts',
    find: 'known.copyAgeMs <= rules.staleMaxMs &&',
    replace: 'known.copyAgeMs <= rules.staleMaxMs * 9 &&',
  },
  {
    name: 'a copy stays although the provider no longer has the record',
    file: 'records/versions/save-miss.ts',
    find: 'await withdrawAlias(tx, { kind, alias: identifier, at })',
    replace: 'void [withdrawAlias, at]',
  },
  {
    name: 'every caller who misses a record fetches it',
    file: 'lookup/fetch/single-flight.ts',
    find: 'if (running) return { ...running, leads: false }',
    replace: 'void running',
  },
  {
    name: 'an excluded provider is asked',
    file: 'providers/chain/able-links.ts',
    find: 'return route?.flatMap((name) => links.find(({ provider }) => provider.name === name) ?? []) ?? links',
    replace: 'return route?.length === 0 ? [] : links',
  },
  {
    name: 'environments with different routes share a fetch',
    file: 'lookup/fetch/fetch-record.ts',
    find: '${onRoute(identifierKey(need.identifier), route)}?',
    replace: '${identifierKey(need.identifier)}?',
  },
  {
    name: 'a copy of an excluded provider is served from the cache',
    file: 'lookup/recall-record.ts',
    find: 'return record && isOnRoute(record, route) ?',
    replace: 'return record && (route?.length !== 0 || isOnRoute(record, route)) ?',
  },
  {
    name: 'a retry exceeds the cost cap of a call',
    file: 'providers/transport/send-with-retries.ts',
    find: 'const mayRetry = attempt <= retries && (meter?.fits() ?? true)',
    replace: 'const mayRetry = attempt <= retries',
  },
  {
    name: 'a match below its threshold is billed',
    file: 'lookup/match/demands.ts',
    find: 'const isUnlikely = minLikelihood && record.match && record.match.likelihood < minLikelihood',
    replace: 'const isUnlikely = minLikelihood && record.match && record.match.likelihood < minLikelihood / 4',
  },
  {
    name: 'somebody is served although their address is suppressed',
    file: 'records/contact-index/contact-rows.ts',
    find: '  if (entityIds.length === 0) return []',
    replace: '  if (entityIds.length < 9) return []',
  },
  {
    name: 'the guard checks a stored record after its charge',
    file: answer,
    find: 'const known = withDemands(call.lookup, asSeen(deps, call.lookup, recalled))',
    replace: `const known = withDemands(call.lookup, asSeen(deps, call.lookup, recalled))
  if (recalled.record && !known.record)
    return serveStored(deps, call, recalled.record, 'store').then(() => {
      throw notFound()
    })`,
  },
  {
    name: 'a stranger who was fetched is served',
    file: 'lookup/match/demands.ts',
    find: 'contradictedIn(record, expect).map((name) => wordOf(name, expect))',
    replace: 'contradictedIn(record, expect).slice(1).map((name) => wordOf(name, expect))',
  },
]
