import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CompiledBook, noParts } from '../../../src/credits/prices/compiled-book.ts'
import type { PriceLists } from '../../../src/credits/prices/price-book.ts'
import { readNote } from '../../../src/credits/prices/price-note.ts'
import { priceRange, type KnownCall } from '../../../src/credits/prices/price-range.ts'
import { anyFacts, anyLists, anyParts, asked, type Facts, type Parts } from './any-book.ts'

/** Only a live answer can bypass the cache or bring another version. */
const possible = anyFacts.map((facts): Facts => {
  const source = facts.bypass ? 'live' : facts.source
  return { ...facts, source, changed: source === 'live' && facts.changed }
})

/** The receipt of a call that a book charged. */
function receipt(book: CompiledBook, facts: Facts, include: Parts, has: Parts, knows: Partial<KnownCall>): KnownCall {
  const { project, environment, source } = facts
  const { note, credits } = book.priceOf(asked(facts, include), { ...facts, has: (part) => has[part] })
  const kind = facts.kind === 'people' ? 'people' : 'companies'
  return { project, environment, kind, source, thin: null, asked: null, note: readNote(note), credits, ...knows }
}

const book = (lists: PriceLists, version = 1) => new CompiledBook(version, 0, lists)
const plain = { project: 'acme', environment: 'production', kind: 'people', source: 'store', thin: false } as const
const noNote = { asked: null, note: null, credits: 2 }

describe('the price of an answered call with another book', () => {
  test('lies between the least and the most, whatever the receipt lacks', () => {
    fc.assert(
      fc.property(
        fc.tuple(anyLists, anyLists),
        possible,
        fc.tuple(anyParts, anyParts),
        fc.tuple(fc.boolean(), fc.boolean()),
        ([before, after], facts, [include, has], [knowsThin, knowsOptions]) => {
          const [old, next] = [book(before), book(after, 2)]
          const call = receipt(old, facts, include, has, {
            ...(knowsThin ? { thin: facts.thin } : {}),
            ...(knowsOptions ? { asked: { bypass: facts.bypass, include } } : {}),
          })
          const { credits } = next.priceOf(asked(facts, include), { ...facts, has: (part) => has[part] })
          const { least, most } = priceRange(call, { old, next, hasFreeRepeats: false })

          expect(least).toBeLessThanOrEqual(credits)
          expect(most).toBeGreaterThanOrEqual(credits)
        },
      ),
    )
  })

  test('is exact with the book that charged it, if every requested part had a price', () => {
    fc.assert(
      fc.property(anyLists, possible, anyParts, anyParts, (lists, facts, include, has) => {
        const priced = { ...noParts }
        for (const { part, credits } of lists.parts) priced[part] = credits > 0 && include[part]
        const old = book(lists)
        const call = receipt(old, facts, priced, has, {})

        const range = priceRange(call, { old, next: book(lists, 2), hasFreeRepeats: false })

        expect(range).toEqual({ least: call.credits, most: call.credits })
      }),
    )
  })

  test('uses the line of the receipt: a call that a thin line charged was thin', () => {
    const old = book({ lines: [{ thin: true, credits: 1 }, { credits: 2 }], parts: [] })
    const next = book({ lines: [{ thin: true, credits: 0 }, { credits: 5 }], parts: [] })
    const call = { ...plain, asked: null, thin: null, note: readNote('1 1:1'), credits: 1 }

    expect(priceRange(call, { old, next, hasFreeRepeats: false })).toEqual({ least: 0, most: 0 })
  })

  test('is a range for a part that had no price, unless the call is known not to have asked for it', () => {
    const next = book({ lines: [{ credits: 3 }], parts: [{ part: 'contact', credits: 4 }] })
    const books = { old: null, next, hasFreeRepeats: false }

    expect(priceRange({ ...plain, ...noNote }, books)).toEqual({ least: 3, most: 7 })
    expect(priceRange({ ...plain, ...noNote, asked: { bypass: false, include: noParts } }, books)).toEqual({
      least: 3,
      most: 3,
    })
  })

  test('stays free for a repeat that was free', () => {
    const old = book({ lines: [{ credits: 2 }], parts: [{ part: 'contact', credits: 1 }] })
    const next = book({ lines: [{ credits: 9 }], parts: [{ part: 'contact', credits: 4 }] })
    const call = { ...plain, asked: null, note: readNote('1 1:2 contact:1'), credits: 1 }

    expect(priceRange(call, { old, next, hasFreeRepeats: true })).toEqual({ least: 4, most: 4 })
  })
})
