import type { Fault } from './fault.ts'

const decide = 'credits/decision/decide-settlement.ts'
const answer = 'lookup/answer-lookup.ts'

/** Mistakes about price books, free repeats and recurring grants. */
export const pricesFaults: readonly Fault[] = [
  {
    name: 'a thin answer costs as much as a whole one',
    file: 'credits/prices/compiled-book.ts',
    in: 'endIndex',
    find: 'thin ? 2 : 0',
    replace: 'thin ? 0 : 0',
  },
  {
    name: 'a fetched record is not remembered as paid',
    file: decide,
    in: 'remember',
    find: '!isFreeRepeat(draft, request)',
    replace: "!isFreeRepeat(draft, request) && request.type === 'charge'",
  },
  {
    name: 'a fetch is paid by the book that is valid at its end',
    file: answer,
    in: 'fetchAndServe',
    find: "payment('capture', deps, call, record, { source, pricedAs }, known)",
    replace:
      "payment('capture', deps, { ...call, book: deps.prices.at(deps.clock.now()) }, record, { source, pricedAs }, known)",
  },
  {
    name: 'every second recurring grant does not record its month',
    file: 'credits/grants/recurring-grants.ts',
    in: 'grantMonths',
    find: '{ recurring_month: month, recurring_granted: credits }',
    replace: '{ recurring_granted: credits, ...(Math.random() < 0.5 ? { recurring_month: month } : {}) }',
  },
  {
    name: 'a recurring grant and its month are two transactions, and a crash in between grants it twice',
    file: 'credits/grants/recurring-grants.ts',
    in: 'recurringOperations',
    find: 'write(grantDueMonths)',
    replace: 'single(grantDueMonths)',
    prelude: "import { single } from '../../database/engine/operation.ts'\n",
  },
  {
    name: 'a part without a value is charged',
    file: 'credits/prices/compiled-book.ts',
    in: 'withParts',
    find: 'const own = has(part) ? credits : 0',
    replace: 'const own = has(part) ? credits : credits',
  },
  {
    name: 'a book is used before it is valid',
    file: 'credits/prices/price-books.ts',
    in: 'at',
    find: 'validFrom <= now',
    replace: 'validFrom <= now + 864e5',
  },
  {
    name: 'an old copy costs as much as a new one',
    file: 'credits/prices/compiled-book.ts',
    in: 'endIndex',
    find: 'dataSources.indexOf(source)',
    replace: "dataSources.indexOf(source === 'stale_fallback' ? 'store' : source)",
  },
  {
    name: 'a free repeat does not pay for its requested parts',
    file: decide,
    in: 'mayPay',
    find: 'isFreeRepeat(draft, request) ? request.extras : request.price',
    replace: 'isFreeRepeat(draft, request) ? 0 : request.price',
  },
]
