import type { DataSource, Kind, PersonPart } from '@vitae/contract'
import { outcomes, type CompiledBook, type Outcome } from './compiled-book.ts'
import { readNote, type PriceNote } from './price-note.ts'

/** The facts of an answered call that its receipt has. Null or absent facts are unknown. */
export interface KnownCall {
  project: string
  environment: string
  kind: Kind
  source: DataSource
  thin: boolean | null
  /** The options of a call that asked a provider. Null for a plain answer from the store. */
  asked: { bypass: boolean; include: Readonly<Record<PersonPart, boolean>> } | null
  /** The price note and the charge. */
  note: PriceNote | null
  credits: number
}

/** The least and the most that a call could have cost. */
export interface PriceRange {
  least: number
  most: number
}

interface Books {
  /** The book that the call was charged by; null if its receipt does not name one. */
  old: CompiledBook | null
  next: CompiledBook
  /** Whether an environment pays for a record once in a number of days. */
  hasFreeRepeats: boolean
}

/**
 * The price of an answered call with another book. Every outcome that fits the receipt counts: the known facts, and the
 * line that applied then. So the range is one price unless the new book asks for a fact that the receipt lacks.
 */
export function priceRange(call: KnownCall, { old, next, hasFreeRepeats }: Books): PriceRange {
  const fitting = outcomesOf(call).filter((outcome) => isCharged(call, old, outcome))
  // A reprojection can change whether a version is thin, so it may contradict the receipt.
  const possible = [fitting, outcomesOf({ ...call, thin: null })].find((each) => each.length > 0) ?? outcomes
  const prices = possible.map((outcome) => next.priceAt(call, outcome).credits)
  const { note, credits } = call
  const line = note?.credits ?? credits
  const paid = credits - (note?.parts.reduce((sum, part) => sum + part.credits, 0) ?? 0)
  const isRepeat = paid < line
  // A call that a line made free may have been a repeat too.
  const mayRepeat = isRepeat || (hasFreeRepeats && line === 0)
  const extras = partsOf(call, old, next)
  return {
    least: (mayRepeat ? 0 : Math.min(...prices)) + extras.least,
    most: (isRepeat ? 0 : Math.max(...prices)) + extras.most,
  }
}

function outcomesOf({ kind, source, thin, asked: options }: KnownCall): Outcome[] {
  return outcomes.filter(({ asked, ended }) => {
    const isKind = asked.kind === kind || (asked.kind === 'resolve' && kind === 'companies')
    // A stored record that a provider was asked to fill is priced as live.
    const isSource = ended.source === source || (ended.source === 'live' && source === 'store' && options !== null)
    const isOption = asked.bypass ? ended.source === 'live' && options?.bypass !== false : options?.bypass !== true
    const isEnd = (thin === null || ended.thin === thin) && (ended.source === 'live' || !ended.changed)
    return isKind && isSource && isOption && isEnd
  })
}

/** Whether the book of the receipt charges an outcome by the line of the receipt. */
function isCharged({ note, ...place }: KnownCall, old: CompiledBook | null, outcome: Outcome): boolean {
  return note === null || old === null || readNote(old.priceAt(place, outcome).note)?.line === note.line
}

function partsOf({ kind, asked, note }: KnownCall, old: CompiledBook | null, { lists }: CompiledBook): PriceRange {
  const range = { least: 0, most: 0 }
  const noted = note === null ? [] : (old?.lists.parts ?? [])
  for (const { part, credits } of kind === 'people' ? lists.parts : []) {
    const was = note?.parts.find((each) => each.part === part)
    // A receipt lists every requested part that had a price.
    const wasPriced = noted.some((each) => each.part === part && each.credits > 0)
    if (was ? was.credits === 0 : wasPriced || asked?.include[part] === false) continue
    range.most += credits
    if (was) range.least += credits
  }
  return range
}
