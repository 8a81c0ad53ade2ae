import { appendAudit } from '../../audit/audit.ts'
import type { Connection } from '../../database/engine/dialect.ts'
import { read, write, type Subject } from '../../database/engine/operation.ts'
import type { PriceBookRow } from '../../database/tables/credits.ts'
import { Failure } from '../../foundation/failure.ts'
import type { PriceLists } from './price-book.ts'
import { dayMs, isoTime } from '../../foundation/clock.ts'

/** A stored price book. */
export interface StoredPriceBook extends PriceLists {
  version: number
  validFrom: number
  setAt: number
  actor: string
}

/** More than the valid one: the clock that read them may have been ahead and be set back. */
const earlierBooks = 20

/** The books that a process must know: those of the last day, all later ones and some earlier ones; latest first. */
async function priceBooksFrom({ db }: Connection, { at }: { at: number }): Promise<StoredPriceBook[]> {
  const books = () => db.selectFrom('price_books').selectAll().orderBy('valid_from', 'desc').orderBy('version', 'desc')
  const later = await books()
    .where('valid_from', '>', at - dayMs)
    .execute()
  const before = await books()
    .where('valid_from', '<=', at - dayMs)
    .limit(earlierBooks)
    .execute()
  return [...later, ...before].map(bookOf)
}

/** All books ever set, newest version first. */
async function priceBookHistory(
  { db }: Connection,
  { limit, before }: { limit: number; before: number | null },
): Promise<StoredPriceBook[]> {
  const rows = await db
    .selectFrom('price_books')
    .selectAll()
    .$if(before !== null, (query) => query.where('version', '<', before ?? 0))
    .orderBy('version', 'desc')
    .limit(limit)
    .execute()
  return rows.map(bookOf)
}

interface AddPriceBook extends PriceLists {
  validFrom: number
  /** The earliest allowed start: calls before it may already have been priced. */
  earliest: number
  actor: string
  at: number
}

/** Sets a price book. It gets the next version number and never changes. */
async function addPriceBook({ db: tx, dialect }: Connection, args: AddPriceBook): Promise<StoredPriceBook> {
  const { validFrom, earliest, lines, parts, actor, at } = args
  if (validFrom < earliest) throw tooEarly(earliest)
  // The audit log's lock comes first, so that two books cannot get the same number.
  const subject = isoTime(validFrom)
  await appendAudit(tx, dialect, { at, actor, action: 'prices.set', subject, after: { lines, parts } })
  const last = await tx
    .selectFrom('price_books')
    .select(({ fn }) => fn.max('version').as('version'))
    .executeTakeFirst()
  const row: PriceBookRow = {
    version: Number(last?.version ?? 0) + 1,
    valid_from: validFrom,
    lines: JSON.stringify(lines),
    parts: JSON.stringify(parts),
    set_at: at,
    actor,
  }
  await tx.insertInto('price_books').values(row).execute()
  return bookOf(row)
}

function tooEarly(earliest: number): Failure {
  const detail = `must not be before ${isoTime(earliest)}: a price book cannot apply to past calls`
  return new Failure('invalid_request', {
    detail: `valid_from ${detail}.`,
    errors: [{ parameter: 'valid_from', detail }],
  })
}

function bookOf({ version, valid_from, lines, parts, set_at, actor }: PriceBookRow): StoredPriceBook {
  // Written by addPriceBook.
  const lists = { lines: JSON.parse(lines) as PriceLists['lines'], parts: JSON.parse(parts) as PriceLists['parts'] }
  return { version, validFrom: valid_from, ...lists, setAt: set_at, actor }
}

export const priceBookOperations = {
  priceBooksFrom: read(priceBooksFrom),
  priceBookHistory: read(priceBookHistory),
  addPriceBook: write(addPriceBook),
}
export type PriceBookStore = Subject<typeof priceBookOperations>
