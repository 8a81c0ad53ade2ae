import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decideSettlement } from '../../../src/credits/decision/decide-settlement.ts'
import type { LedgerSnapshot } from '../../../src/credits/decision/ledger-snapshot.ts'
import { CompiledBook } from '../../../src/credits/prices/compiled-book.ts'
import { readPriceLists, type PriceLists } from '../../../src/credits/prices/price-book.ts'
import { readNote, receiptLines, whyLess } from '../../../src/credits/prices/price-note.ts'
import type { Decision, SettleRequest } from '../../../src/credits/decision/settlement-requests.ts'
import { environment, key, snapshotOf } from '../decision/snapshots.ts'
import { capture, check, hold, minute, noon } from '../requests.ts'
import { anyFacts, anyLists, anyParts, asked, dearest, naive, type Facts, type Parts } from './any-book.ts'

interface Call {
  /** The book at its start. */
  book: number
  facts: Facts
  include: Parts
  has: Parts
  /** The record. A second call for the same one may be a free repeat. */
  entity: number
  repeatsAreFree: boolean
  fails: boolean
}

/** A call that bypasses the cache is answered live or not at all. */
const anyCall: fc.Arbitrary<Call> = fc
  .record({
    book: fc.nat(2),
    facts: anyFacts,
    include: anyParts,
    has: anyParts,
    entity: fc.integer({ min: 1, max: 3 }),
    repeatsAreFree: fc.boolean(),
    fails: fc.boolean(),
  })
  .map((call) => (call.facts.bypass ? { ...call, facts: { ...call.facts, source: 'live' } } : call))

/** A ledger that calls run through one after another, with the store's pure decision function. */
class Ledger {
  snapshot: LedgerSnapshot

  constructor(credits: number) {
    this.snapshot = snapshotOf([environment(1, credits)], [key('k1', 1)])
  }

  settle(request: SettleRequest): Decision {
    const { decisions, snapshot } = decideSettlement(this.snapshot, [request])
    this.snapshot = snapshot
    return decisions[0] as Decision
  }

  get state(): { balance: number; held: number } {
    const { balance = NaN, held = NaN } = this.snapshot.environments.get(1) ?? {}
    return { balance, held }
  }
}

test('a valid book is parsed as written, and survives JSON', () => {
  fc.assert(
    fc.property(anyLists, (lists) => {
      expect(readPriceLists(JSON.parse(JSON.stringify(lists)))).toEqual({ lists })
    }),
  )
})

test("for any books: the hold equals the highest possible cost and the preflight's price, the charge is not higher, and the receipt adds up", () => {
  const books = fc.tuple(anyLists, anyLists, anyLists)
  fc.assert(
    fc.property(books, fc.nat(60), fc.array(anyCall, { maxLength: 12 }), (lists, credits, calls) => {
      const compiled = lists.map((each, index) => new CompiledBook(index + 1, 0, each))
      const ledger = new Ledger(credits)
      let left = credits
      for (const [index, call] of calls.entries()) {
        const own = lists[call.book] as PriceLists
        left -= runCall(ledger, compiled[call.book] as CompiledBook, own, call, index, left)
        expect(ledger.state).toEqual({ balance: left, held: 0 })
      }
    }),
    { numRuns: 300 },
  )
})

/** Runs one call like a lookup, and returns its cost. */
function runCall(ledger: Ledger, book: CompiledBook, lists: PriceLists, call: Call, index: number, left: number) {
  const { facts, include, has, repeatsAreFree, entity } = call
  const ask = asked(facts, include)
  const most = dearest(lists, facts, include)
  const at = noon + index * minute
  const foreseen = ledger.settle(check(`check ${index}`, { at, amount: book.highest(ask) }))
  const held = ledger.settle(hold(`call ${index}`, { at, amount: book.highest(ask) }))
  expect([foreseen.outcome, held.outcome === 'refused']).toEqual([held.outcome, most > left])
  if (held.outcome === 'refused') return 0
  expect(ledger.state.held).toBe(most)
  if (call.fails) {
    ledger.settle({ type: 'release', keyId: 'k1', environmentId: 1, requestId: `call ${index}`, at, idempotency: null })
    return 0
  }
  const price = book.priceOf(ask, { ...facts, has: (part) => has[part] })
  const request = capture(`call ${index}`, { at, price: price.credits, extras: price.extras })
  const repeatFreeSince = repeatsAreFree ? noon - minute : null
  const paid = ledger.settle({ ...request, repeatFreeSince, call: { ...request.call, entityId: entity } })
  const charged = paid.outcome === 'settled' ? paid.charged : NaN
  const expected = naive(lists, facts, include, has)
  expect(charged === expected.credits || (repeatsAreFree && charged === expected.extras)).toBe(true)
  expect(charged).toBeLessThanOrEqual(most)
  expectReceipt(price.note, { held: most, charged }, expected, call, lists)
  return charged
}

/** The lines of a receipt add up to the price, and each reduction has its reason. */
function expectReceipt(
  text: string,
  { held, charged }: { held: number; charged: number },
  expected: ReturnType<typeof naive>,
  { facts, include, has }: Call,
  lists: PriceLists,
): void {
  const note = readNote(text)
  if (!note) throw new Error('a priced call has no note')
  const lines = receiptLines(note, lists)
  expect(lines.reduce((sum, { credits }) => sum + credits, 0)).toBe(expected.credits)
  expect(lines[0]?.line.startsWith(`line ${expected.line}`)).toBe(true)
  const none = { contact: false, network: false, verifications: false }
  const isCheaper = expected.credits - expected.extras < dearest(lists, facts, none)
  const lacks =
    facts.kind === 'people' && lists.parts.some((each) => each.credits > 0 && include[each.part] && !has[each.part])
  const reasons = [...(isCheaper ? ['cheaper_line'] : []), ...(lacks ? ['part_without_value'] : [])]
  const told = whyLess({ held, charged, isAnswered: true, isReplay: false }, note, lists)
  expect(told).toEqual(charged < expected.credits ? ['free_repeat'] : reasons)
  expect(told.length === 0).toBe(charged === held)
}
