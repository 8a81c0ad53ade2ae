import type { lessThanHeld, PersonPart } from '@vitae/contract'
import { lineName, type PriceLists } from './price-book.ts'

type Applied = { line: number; credits: number } | { part: PersonPart; credits: number }

/**
 * The applied price in a short text: `3 12:1 contact:2` is line 12 of book 3 for 1 credit, plus 2 credits for the
 * contact part.
 */
export function noteOf(before: string, applied: readonly Applied[]): string {
  const words = applied.map((each) => `${'line' in each ? each.line : each.part}:${each.credits}`)
  return [before, ...words].join(' ')
}

/** A parsed note. */
export interface PriceNote {
  book: number
  line: number
  credits: number
  /** The priced parts that were requested; 0 credits for a part without a value. */
  parts: { part: PersonPart; credits: number }[]
}

/** Parses a note; null for calls from before notes existed. */
export function readNote(text: string | null): PriceNote | null {
  if (text === null) return null
  const [book, line = '', ...parts] = text.split(' ')
  const [number, credits] = line.split(':')
  return {
    book: Number(book),
    line: Number(number),
    credits: Number(credits),
    parts: parts.map((word) => {
      const [part, own] = word.split(':')
      // Written by noteOf.
      return { part: part as PersonPart, credits: Number(own) }
    }),
  }
}

interface Charged {
  held: number
  charged: number
  isAnswered: boolean
  isReplay: boolean
}

/** Why less was charged than held; empty if it was not less, or for calls from before notes existed. */
export function whyLess(
  { held, charged, isAnswered, isReplay }: Charged,
  note: PriceNote | null,
  lists: PriceLists | null,
): (typeof lessThanHeld)[number][] {
  if (charged >= held) return []
  if (!isAnswered) return ['failed']
  if (isReplay) return ['replayed']
  if (!note) return []
  const extras = note.parts.reduce((sum, { credits }) => sum + credits, 0)
  if (charged < note.credits + extras) return ['free_repeat']
  const empty = note.parts.filter(({ credits }) => credits === 0).map(({ part }) => part)
  const priceOf = (part: PersonPart) => lists?.parts.find((each) => each.part === part)?.credits ?? 0
  const missing = empty.reduce((sum, part) => sum + priceOf(part), 0)
  return [
    ...(held - missing > charged ? (['cheaper_line'] as const) : []),
    ...(empty.length > 0 ? (['part_without_value'] as const) : []),
  ]
}

/** The lines of a receipt, named by the book that they come from. */
export function receiptLines({ line, credits, parts }: PriceNote, lists: PriceLists | null) {
  const own = lists?.lines[line - 1]
  const applied = { line: `line ${line}${own ? `: ${lineName(own)}` : ''}`, credits }
  const priced = parts.filter((each) => each.credits > 0)
  return [applied, ...priced.map((each) => ({ line: `part ${each.part}`, credits: each.credits }))]
}
