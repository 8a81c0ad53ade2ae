import type { Random } from './world/random.ts'
import type { Strike } from './world/simulated-store.ts'

/**
 * Seeds start three months apart. From 2255 on, event positions exceed exact integers, so a process plays no seed after
 * one that begins later.
 */
export const seedsUntil2250 = 890

/** The steps of the scheduler, with their relative frequencies. */
export const weights = {
  call: 22,
  burst: 7,
  twice: 4,
  retry: 10,
  repeatLate: 0.8,
  reuse: 2,
  match: 9,
  sample: 3,
  submit: 2.5,
  strikeSubmit: 0.8,
  watch: 2.5,
  strikeWatch: 1,
  take: 20,
  hear: 20,
  flow: 32,
  answer: 14,
  deny: 2,
  fail: 3,
  receive: 5,
  wait: 8,
  leap: 2,
  month: 1.5,
  grant: 2.5,
  correct: 0.7,
  budget: 1.5,
  prices: 1.5,
  recurring: 1.5,
  revoke: 1,
  rotate: 1.5,
  suspend: 1,
  erase: 2,
  eraseMoved: 0.7,
  eraseMatched: 0.7,
  vanish: 1.5,
  deleteUnit: 1,
  move: 5,
  refuse: 1,
  lose: 1,
  loseDone: 1,
  strike: 5,
  die: 1.2,
  dieInside: 1.2,
  news: 6,
  cut: 1,
  freeze: 1.5,
  outdate: 2.5,
  takeOver: 1,
  wake: 3,
  rest: 3,
}
export type Step = keyof typeof weights

/** The frequencies without some steps. */
export function weightsWithout(left: readonly string[] = []): Record<Step, number> {
  return { ...weights, ...Object.fromEntries(left.map((step) => [step, 0])) }
}

/** The outcomes of fetches while everything comes to rest. */
export const endings = [
  'answer',
  'answer',
  'answer',
  'answer',
  'answer',
  'answer',
  'answer',
  'deny',
  'fail',
  'fail',
] as const

/** Payments, the writes right after one, and deliveries. A crash in between must cost nobody anything and lose no event. */
const struck = [
  'credits.settle',
  'credits.settle',
  'credits.settle',
  'batches.finishBatch',
  'batches.saveBatchResults',
  'watches.finishWatch',
  'watches.finishWatch',
  'records.saveFetch',
  'lookups.saveAndSettle',
  'webhooks.noteDelivery',
]
const strikes = ['answer is lost', 'is refused', 'dies after', 'dies before', 'dies inside'] as const

export function drawStrike(random: Random): Strike {
  const name = random.pick(struck)
  const after = name === 'credits.settle' ? random.below(6) : 0
  return { name, after, what: random.pick(strikes), statements: random.below(16) }
}

/** Mostly inside the work of a new month, because a grant and its month are one transaction. */
export function drawMonthStrike(random: Random): Strike {
  const what = random.chance(0.6) ? 'dies inside' : random.pick(strikes)
  return { name: 'grants.grantDueMonths', after: 0, what, statements: random.below(16) }
}
