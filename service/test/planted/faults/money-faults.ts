import type { TestedFault } from '../tested-fault.ts'

/** Mistakes about callers that hang up, receipts, batches and test keys. */
export const moneyFaults: readonly TestedFault[] = [
  {
    name: 'an idempotency record that an erasure emptied is another request',
    file: 'credits/decision/spending-rules.ts',
    in: 'idempotencyVerdict',
    find: "const isErased = known.fingerprint === ''",
    replace: 'const isErased = false',
    test: 'credits/decision/repeats-and-retries.test.ts',
  },
  {
    name: 'charges that are settled together do not see each other',
    file: 'credits/decision/decide-settlement.ts',
    in: 'decideSettlement',
    find: 'const verdict = decideOne(draft, request)',
    replace: 'const verdict = decideOne(request === requests[0] ? draft : draftFrom(snapshot), request)',
    test: 'credits/decision/settlement-laws.test.ts',
  },
  {
    name: 'a sample changes with every call',
    file: 'samples/sample-answer.ts',
    in: 'someCareer',
    find: '`career of ${core.memberUrn}`',
    replace: '`career of ${core.memberUrn} ${Math.random()}`',
    test: 'samples/samples.test.ts',
  },
  {
    name: 'an entry of a closed month counts in no month',
    file: 'credits/statements/statement-operations.ts',
    in: 'countedIn',
    find: 'closed?.month === previous ? isLate : sql<boolean>`1 = 0`',
    replace: 'sql<boolean>`1 = 0`',
    test: 'credits/reports/closed-months.engines.test.ts',
    title: 'an entry that is made after',
  },
]
