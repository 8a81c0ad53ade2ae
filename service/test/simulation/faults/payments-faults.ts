import type { Fault } from './fault.ts'

const settle = 'credits/store/settle.ts'
const decide = 'credits/decision/decide-settlement.ts'
const rules = 'credits/decision/spending-rules.ts'
const draft = 'credits/decision/ledger-draft.ts'
const answer = 'lookup/answer-lookup.ts'

/** Mistakes about holds, payments, limits and idempotency keys. */
export const paymentsFaults: readonly Fault[] = [
  {
    name: 'a stored answer leaves before its charge is committed',
    file: answer,
    in: 'serveStored',
    find: "const paid = accepted(await askLedger(deps, payment('charge', deps, call, shown, { source }, shown)))",
    replace: `void askLedger(deps, payment('charge', deps, call, shown, { source }, shown))
  const paid = { outcome: 'settled', charged: 1, available: 0, ceilingRemaining: null, ceilingResetsAt: null } as const`,
  },
  {
    name: 'a fetched answer leaves before its capture is committed',
    file: answer,
    in: 'fetchAndServe',
    find: "const paid = accepted(early.decision ?? (await trace.time('capture', capture())))",
    replace: `if (!early.decision) void capture()
    const paid = { outcome: 'settled', charged: 1, available: 0, ceilingRemaining: null, ceilingResetsAt: null } as const`,
  },
  {
    name: 'a payment that was settled with a save is not looked for when the reply is lost',
    file: 'lookup/payment/early-payment.ts',
    in: '#find',
    find: 'if (!isLostConnection(cause) || wasNeverSent(cause)) throw error',
    replace: 'throw error',
  },
  {
    name: 'a fetch is paid for with its save, and again after it',
    file: answer,
    in: 'fetchAndServe',
    find: "early.decision ?? (await trace.time('capture', capture()))",
    replace: "await trace.time('capture', capture())",
  },
  {
    name: 'a fetch is paid for with its save although another record answers the call',
    file: 'lookup/payment/save-and-settle.ts',
    in: 'saveAndSettle',
    find: 'saved.suppressed || saved.fitted || saved.folded',
    replace: 'saved.suppressed',
  },
  {
    name: 'an answer fails after its capture',
    file: answer,
    in: 'fetchAndServe',
    find: 'return await settledAnswer(deps, call, answer, paid)',
    replace: `if (record.versionId % 5 === 0) throw new Error('the headers of the answer cannot be built')
    return await settledAnswer(deps, call, answer, paid)`,
  },
  {
    name: 'a failed fetch keeps its hold',
    file: answer,
    in: 'fetchAndServe',
    find: "await trace.time('release', deps.settle({ ...step, type: 'release', at: deps.clock.now() }))",
    replace: 'void step',
  },
  {
    name: 'a failed fetch is captured',
    file: answer,
    in: 'fetchAndServe',
    find: "{ ...step, type: 'release', at: deps.clock.now() }",
    replace:
      "{ ...step, ...payment('capture', deps, call, { entityId: null, versionId: null, fetchId: null, thin: false, body: Buffer.alloc(0), parts: {} } as never, { source: 'live' }, null) }",
  },
  {
    name: 'a start does not release the holds of the dead process',
    file: '../test/simulation/world/simulated-service.ts',
    in: 'prepare',
    find: 'await bare.credits.releaseHolds({ at: clock.now(), all: true })',
    replace: 'void bare',
  },
  {
    name: 'a hold is not checked against other holds',
    file: rules,
    in: 'fundsRefusal',
    find: 'const credits = environment.balance - environment.held',
    replace: 'const credits = environment.balance',
  },
  {
    name: 'a ceiling lets one more through',
    file: rules,
    in: 'fundsRefusal',
    find: 'ofMonth < amount',
    replace: 'ofMonth < amount - 1',
  },
  {
    name: 'a daily ceiling does not count holds',
    file: rules,
    in: 'leftOfDay',
    find: 'return key.dailyCeiling - spentIn(snapshot, key.spendId, date.day)',
    replace: 'return key.dailyCeiling - (snapshot.periods.get(periodKey(key.spendId, date.day))?.captured ?? 0)',
  },
  {
    name: 'a capture counts in the month in which it ends, not in that of its hold',
    file: decide,
    in: 'pay',
    find: 'const date = spendDate(hold?.placedAt ?? at)',
    replace: 'const date = spendDate(at)',
  },
  {
    name: 'an answered idempotency record is forgotten',
    file: rules,
    in: 'idempotencyVerdict',
    find: "known.state === 'done'",
    replace: "known.state === 'done' && request.type === 'check'",
  },
  {
    name: 'a running idempotency record lets a duplicate through',
    file: rules,
    in: 'idempotencyVerdict',
    find: "return { outcome: 'running', requestId: known.requestId, expiresAt: known.expiresAt }",
    replace: 'return null',
  },
  {
    name: 'an idempotency record is kept of the hold only, not of the payment',
    file: decide,
    in: 'remember',
    find: "setIdempotency(draft, { environmentId, ...idempotency, state: 'done', ...answer, createdAt: at })",
    replace: 'void [setIdempotency, answer]',
  },
  {
    name: 'an idempotency record does not compare the request',
    file: rules,
    in: 'idempotencyVerdict',
    find: '!isErased && known.fingerprint !== request.idempotency.fingerprint',
    replace: "isErased && known.state === 'running'",
  },
  {
    name: 'a replay is billed',
    file: decide,
    in: 'mayPay',
    find: 'const stopped = refused(keyRefusal(environment, key, request.at)) ?? idempotencyVerdict(draft, request)',
    replace: 'const stopped = refused(keyRefusal(environment, key, request.at))',
  },
  {
    name: 'an expired idempotency record is honoured, and a new call is not made',
    file: rules,
    in: 'idempotencyVerdict',
    find: 'known.expiresAt <= request.at',
    replace: 'known.expiresAt <= request.at - 864e5 * 365',
  },
  {
    name: 'the environment is changed, its months are not',
    file: draft,
    in: 'move',
    find: 'movePeriod(draft, where.spendId, date.month, change)',
    replace: 'void date.month',
  },
  {
    name: 'held credits are lost when a hold is captured',
    file: draft,
    in: 'move',
    find: 'held: environment.held + held',
    replace: 'held: Math.max(0, environment.held + held - (captured > 0 ? 1 : 0))',
  },
  {
    name: 'a payment of a revoked key is accepted',
    file: rules,
    in: 'keyRefusal',
    find: "if (key.revokedAt !== null && key.revokedAt <= at) return 'revoked_api_key'",
    replace: 'void key.revokedAt',
  },
  {
    name: 'the limits are read outside the transaction that spends',
    file: settle,
    in: 'lockAndRead',
    find: 'return { before: { ...ledger, environments }, settled, superseded }',
    replace: `const before = { ...ledger, environments: remembered ?? environments }
  remembered = environments
  return { before, settled, superseded }`,
    prelude: "let remembered: LedgerSnapshot['environments'] | null = null\n",
  },
  {
    name: 'a payment whose reply was lost is made again',
    file: settle,
    in: 'lockAndRead',
    find: 'retry ? findSettled(statements, requests) : new Map<string, Verdict>()',
    replace: 'retry && requests.length === 0 ? findSettled(statements, requests) : new Map<string, Verdict>()',
  },
  {
    name: 'the idempotency records of a dead process are forgotten',
    file: 'credits/store/release-holds.ts',
    in: 'releaseHolds',
    find: 'let released = 0',
    replace: "if (all) await database.db.deleteFrom('idempotency').execute()\n  let released = 0",
  },
  {
    name: 'days and months are those of a clock that is five hours ahead',
    file: 'credits/decision/ledger-snapshot.ts',
    in: 'spendDate',
    find: 'const number = Math.floor(at / dayMs)',
    replace: 'at += 5 * 3_600_000\n  const number = Math.floor(at / dayMs)',
  },
  {
    name: 'a refused payment is answered',
    file: 'lookup/payment/pay.ts',
    in: 'accepted',
    find: "if (decision.outcome === 'refused') throw refusalOf(decision)",
    replace: "if (decision.outcome === 'refused') return { ...decision, outcome: 'settled', charged: 1 }",
  },
  {
    name: 'a capture that is refused does not release its hold',
    file: decide,
    in: 'pay',
    find: 'if (hold) enterRelease(draft, hold, at)',
    replace: 'void hold',
  },
  {
    name: 'a budget does not count holds',
    file: rules,
    in: 'leftOfBudget',
    find: 'return budget === null ? Infinity : budget - spentIn(snapshot, environmentSpendId(id), month)',
    replace: `return budget === null
    ? Infinity
    : budget - (snapshot.periods.get(periodKey(environmentSpendId(id), month))?.captured ?? 0)`,
  },
  {
    name: 'a rotated key begins its spending again',
    file: 'accounts/key-operations.ts',
    in: 'rotateKey',
    find: "await tx.insertInto('keys').values(row).execute()",
    replace: "row.spend_id = row.id\n    await tx.insertInto('keys').values(row).execute()",
  },
  {
    name: 'a payment of a suspended project is accepted',
    file: rules,
    in: 'keyRefusal',
    find: "if (environment.suspended) return 'project_suspended'",
    replace: 'void environment.suspended',
  },
  {
    name: 'spending at a ceiling is notified with every payment',
    file: 'credits/decision/spending-rules.ts',
    in: 'isNew',
    find: 'return notified === null || notified < limit',
    replace: 'return notified === null || notified <= limit',
  },
  {
    name: 'the events of a payment are not written with it',
    file: 'credits/store/write-ledger.ts',
    in: 'writeAlerts',
    find: 'await writeEvents(statements.db, statements.dialect, after.events)',
    replace: 'if (after.events.length > 2) await writeEvents(statements.db, statements.dialect, after.events)',
  },
  {
    name: 'requests that arrived during a batch are not sent after it',
    file: 'credits/settlement-queue.ts',
    in: 'batchEnded',
    find: 'void this.#start()',
    replace: 'void 0',
  },
  {
    name: 'a connection that breaks once makes a call fail',
    file: 'credits/environment-lines.ts',
    in: 'settleBatch',
    find: 'if (!retry && !isLostConnection(error)) throw error',
    replace: 'if (attempt === 0) throw error',
  },
  {
    name: 'an address is not part of the request that an idempotency key identifies',
    file: 'lookup/payment/pay.ts',
    in: 'fingerprintOf',
    find: 'identifier: lookup.matched ?? lookup.identifier',
    replace: "identifier: lookup.matched ? { kind: 'people', type: 'match', value: '' } as never : lookup.identifier",
  },
  {
    name: 'a capture charges the hold, not the price of the answer',
    file: decide,
    in: 'pay',
    find: 'const amount = verdict.charged',
    replace: 'const amount = hold?.amount ?? verdict.charged',
  },
]
