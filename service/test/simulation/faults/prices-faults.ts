import type { Fault } from './fault.ts'

const decide = 'credits/decision/decide-settlement.ts'
const answer = 'lookup/answer-lookup.ts'

/** Mistakes about price books, free repeats and recurring grants. */
export const pricesFaults: readonly Fault[] = [
  {
    name: 'a thin answer costs as much as a whole one',
    file: 'credits/prices/price-books.ts',
    find: '{ kind, thin: true, credits: thin },',
    replace: '{ kind, thin: true, credits: normal },',
  },
  {
    name: 'a fetched record is not remembered as paid',
    file: decide,
    find: 'price > extras && !isFreeRepeat(draft, request)) {',
    replace: "price > extras && !isFreeRepeat(draft, request) && request.type === 'charge') {",
  },
  {
    name: 'a fetch is paid by the book that is valid at its end',
    file: answer,
    find: "payment('capture', deps, call, record, { source, pricedAs }, known)",
    replace:
      "payment('capture', deps, { ...call, book: deps.prices.at(deps.clock.now()) }, record, { source, pricedAs }, known)",
  },
  {
    name: 'every second recurring grant does not record its month',
    file: 'credits/recurring-grants.ts',
    find: '.set({ recurring_month: month, recurring_granted: credits })',
    replace: '.set({ recurring_granted: credits, ...(Math.random() < 0.5 ? { recurring_month: month } : {}) })',
  },
  {
    name: 'a recurring grant and its month are two transactions, and a crash in between grants it twice',
    file: 'credits/recurring-grants.ts',
    find: 'grantDueMonths: write(grantDueMonths),',
    replace: 'grantDueMonths: single(grantDueMonths),',
    prelude: "import { single } from '../database/operation.ts'\n",
  },
  {
    name: 'a part without a value is charged',
    file: 'credits/prices/compiled-book.ts',
    find: 'const own = has(part) ? credits : 0',
    replace: 'const own = has(part) ? credits : credits',
  },
  {
    name: 'a book is used before it is valid',
    file: 'credits/prices/price-books.ts',
    find: 'findIndex(({ validFrom }) => validFrom <= now)',
    replace: 'findIndex(({ validFrom }) => validFrom <= now + 864e5)',
  },
  {
    name: 'an old copy costs as much as a new one',
    file: 'credits/prices/compiled-book.ts',
    find: 'return dataSources.indexOf(source) * 4',
    replace: "return dataSources.indexOf(source === 'stale_fallback' ? 'store' : source) * 4",
  },
  {
    name: 'a free repeat does not pay for its requested parts',
    file: decide,
    find: 'isFreeRepeat(draft, request) ? request.extras : request.price',
    replace: 'isFreeRepeat(draft, request) ? 0 : request.price',
  },
]
