/** A mistake that somebody could make: a text of one file, and what stands there instead. */
export interface Fault {
  name: string
  file: string
  find: string
  replace: string
}

const settle = 'credits/store/settle.ts'
const decide = 'credits/decision/decide-settlement.ts'
const rules = 'credits/decision/spending-rules.ts'
const draft = 'credits/decision/ledger-draft.ts'
const answer = 'lookup/answer-lookup.ts'
const keys = 'accounts/key-cache.ts'

/** Each must be found by the simulation. */
export const faults: readonly Fault[] = [
  {
    name: 'a stored answer leaves before its charge is committed',
    file: answer,
    find: "const paid = accepted(await askLedger(deps, payment('charge', deps, call, record, source)))",
    replace: `void askLedger(deps, payment('charge', deps, call, record, source))
  const paid = { outcome: 'settled', charged: 1, available: 0, ceilingRemaining: null, ceilingResetsAt: null } as const`,
  },
  {
    name: 'a fetched answer leaves before its capture is committed',
    file: answer,
    find: "const paid = accepted(await trace.time('capture', capture))",
    replace: `void capture
    const paid = { outcome: 'settled', charged: 1, available: 0, ceilingRemaining: null, ceilingResetsAt: null } as const`,
  },
  {
    name: 'a failed fetch keeps its hold',
    file: answer,
    find: "await trace.time('release', deps.settle({ ...step, type: 'release', at: deps.clock.now() }))",
    replace: 'void step',
  },
  {
    name: 'a failed fetch is captured all the same',
    file: answer,
    find: "type: 'release', at: deps.clock.now() }",
    replace: `...payment('capture', deps, call, { entityId: null, versionId: null, fetchId: null, thin: false } as never, 'live') }`,
  },
  {
    name: 'a start does not free what the dead process held',
    file: '../test/simulation/simulated-service.ts',
    find: 'await opened.store.releaseHolds({ at: clock.now(), all: true })',
    replace: 'void opened',
  },
  {
    name: 'a hold is not checked against what others hold',
    file: rules,
    find: 'if (account.balance - account.held < amount)',
    replace: 'if (account.balance < amount)',
  },
  {
    name: 'a ceiling lets one more through',
    file: rules,
    find: 'leftOfMonth(snapshot, key, date) < amount ||',
    replace: 'leftOfMonth(snapshot, key, date) < amount - 1 ||',
  },
  {
    name: 'a daily ceiling does not count what is held',
    file: rules,
    find: 'return key.dailyCeiling - spentIn(snapshot, key.spendId, date.day)',
    replace: 'return key.dailyCeiling - (snapshot.periods.get(periodKey(key.spendId, date.day))?.captured ?? 0)',
  },
  {
    name: 'a capture counts in the month in which it ends, not in that of its hold',
    file: decide,
    find: 'const date = spendDate(hold?.placedAt ?? at)',
    replace: 'const date = spendDate(at)',
  },
  {
    name: 'an answered mark is forgotten',
    file: rules,
    find: "if (mark.state === 'done') {",
    replace: "if (mark.state === 'done' && request.type === 'check') {",
  },
  {
    name: 'a running mark lets a duplicate through',
    file: rules,
    find: "return { outcome: 'running', requestId: mark.requestId, expiresAt: mark.expiresAt }",
    replace: 'return null',
  },
  {
    name: 'a mark is kept of the hold only, not of the payment',
    file: decide,
    find: "setMark(draft, { accountId, ...idempotency, state: 'done', requestId, versionId, source, createdAt: at })",
    replace: 'void [setMark, versionId, source]',
  },
  {
    name: 'a mark does not look at what it was used for',
    file: rules,
    find: 'if (mark.fingerprint !== request.idempotency.fingerprint)',
    replace: "if (mark.fingerprint === '')",
  },
  {
    name: 'a replay is billed',
    file: decide,
    find: 'const stopped = refused(keyRefusal(account, key, request.at)) ?? markVerdict(markOf(draft, request), request)',
    replace: 'const stopped = refused(keyRefusal(account, key, request.at))',
  },
  {
    name: 'an expired mark is honoured, and a new call is not made',
    file: rules,
    find: 'mark.expiresAt <= request.at) return null',
    replace: 'mark.expiresAt <= request.at - 864e5 * 365) return null',
  },
  {
    name: 'the account is moved, its months are not',
    file: draft,
    find: 'movePeriod(draft, where.spendId, date.month, change)',
    replace: 'void date.month',
  },
  {
    name: 'what is held is lost when a hold is captured',
    file: draft,
    find: 'held: account.held + held })',
    replace: 'held: Math.max(0, account.held + held - (captured > 0 ? 1 : 0)) })',
  },
  {
    name: 'a payment of a revoked key is taken',
    file: rules,
    find: "if (key.revokedAt !== null && key.revokedAt <= at) return 'revoked_api_key'",
    replace: 'void key.revokedAt',
  },
  {
    name: 'a revoked key stays in the cache',
    file: keys,
    find: 'this.#callers.clear()\n  }\n}',
    replace: '}\n}',
  },
  {
    name: 'a key that changed while it was read is remembered as it was',
    file: keys,
    find: 'if (this.caching && generation === this.#generation)',
    replace: 'if (this.caching && generation >= 0)',
  },
  {
    name: 'the limits are read outside the transaction that spends',
    file: settle,
    find: 'const accounts = await lockAccounts(statements, requests, wait)',
    replace: `const found = await lockAccounts(statements, requests, wait)
    const accounts = remembered ?? found
    remembered = found`,
  },
  {
    name: 'an erased record stays in the cache',
    file: 'app/build-service.ts',
    find: "cache.clear()\n      await peers.tell({ topic: 'records'",
    replace: "await peers.tell({ topic: 'records'",
  },
  {
    name: 'a fetch of an erased subject is kept and served',
    file: 'records/versions/save-fetch.ts',
    find: 'if (await anySuppressed(tx, dialect, args.suppressionHashes)) return { suppressed: true }',
    replace: 'void anySuppressed',
  },
  {
    name: 'an old copy is called live',
    file: answer,
    find: "return { record: fallback, source: 'stale_fallback' }",
    replace: "return { record: fallback, source: 'live' }",
  },
  {
    name: 'a copy that is too old is served',
    file: 'lookup/freshness.ts',
    find: 'known.copyAgeMs <= maxAgeMs',
    replace: 'known.copyAgeMs <= maxAgeMs * 2',
  },
]

/** What some of them need beside the text that is replaced. */
export const preludes: Readonly<Record<string, string>> = {
  'the limits are read outside the transaction that spends':
    'let remembered: ReadonlyMap<number, Account> | null = null\n',
}
