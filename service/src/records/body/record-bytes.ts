import {
  Company,
  inContractOrder,
  type Kind,
  Person,
  type PersonPart,
  personParts,
  type RecordOf,
  emptyContact,
  emptyVerifications,
} from '@vitae/contract'
import { fieldSpans } from './field-spans.ts'

/** Byte offsets of the optional parts in a body. A company has no parts. */
export type PartOffsets = Partial<Record<PersonPart, Span>>

type Span = readonly [start: number, end: number]

/** A record as bytes, with the offsets at which it can be cut. */
export interface CutRecord {
  body: Buffer
  parts: PartOffsets
}

/** The optional parts that a caller asked for. */
export type PartsAsked = Record<PersonPart, boolean>

const nothing = Buffer.from('null')
/** The value of a requested part without data. The contract allows null for `network_info` only. */
const emptyParts: Partial<Record<PersonPart, Buffer>> = {
  contact: Buffer.from(JSON.stringify(emptyContact())),
  verifications: Buffer.from(JSON.stringify(emptyVerifications())),
}
const partOfField = new Map<string, PersonPart>(
  Object.entries(personParts).map(([part, field]) => [field, part as PersonPart]),
)
// In the order of the fields in a body, because `cutBody` cuts from left to right.
const parts = Object.keys(Person.properties).flatMap((field) => partOfField.get(field) ?? [])

const inOrder = { people: inContractOrder(Person), companies: inContractOrder(Company) }

/** The bytes of the full record in the contract's order, and the offsets of its optional parts. */
export function serialiseRecord<K extends Kind>(kind: K, record: RecordOf<K>): CutRecord {
  const ordered = inOrder[kind](record) as Record<string, unknown>
  const text = JSON.stringify(ordered)
  return { body: ownBytes(text), parts: kind === 'people' ? findParts(text, ordered) : {} }
}

/**
 * Searches for each part after the previous one: a free-form value inside a part may have a key with the name of a
 * later part.
 */
function findParts(text: string, record: Record<string, unknown>): PartOffsets {
  const offsets: PartOffsets = {}
  let at = 0
  let bytes = 0
  for (const part of parts) {
    const field = personParts[part]
    // This never matches inside a string, where the quote would be escaped.
    const name = `,"${field}":`
    const found = text.indexOf(name, at)
    if (found < 0) continue
    const value = JSON.stringify(record[field])
    const start = bytes + Buffer.byteLength(text.slice(at, found)) + name.length
    bytes = start + Buffer.byteLength(value)
    at = found + name.length + value.length
    offsets[part] = [start, bytes]
  }
  return offsets
}

/**
 * The stored offsets of a body. Throws if they do not fit it, because a cut would then send a part that nobody asked
 * for.
 */
export function readParts(text: string, body: Uint8Array): PartOffsets {
  const offsets = JSON.parse(text) as PartOffsets
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  for (const [part, [start, end]] of Object.entries(offsets) as [PersonPart, Span][]) {
    const name = `,"${personParts[part]}":`
    const fits = bytes.toString('latin1', start - name.length, start) === name && isEnd(bytes[end])
    // Without its body only the facts of a copy are known.
    if (!fits && bytes.byteLength > 0) throw new Error('a stored record has an unexpected format')
  }
  return offsets
}

/** A comma, or the bracket that closes the record. */
function isEnd(byte: number | undefined): boolean {
  return byte === 0x2c || byte === 0x7d
}

/** Bytes in their own memory: a view into Node's buffer pool would keep the whole pool alive, in every thread. */
function ownBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}

/**
 * The body with null for every part that was not requested. A requested part without data becomes an empty one, so that
 * a caller can always read its lists. Only bytes are cut; no JSON is parsed or written. With `fields`, in the
 * contract's order, the body has only these.
 */
export function cutBody(record: CutRecord, asked: PartsAsked, fields: readonly string[] | null = null): Body {
  const { body, parts: offsets } = record
  if (fields) return cutFields(record, asked, fields)
  const gaps: Gap[] = []
  for (const part of parts) {
    const span = offsets[part]
    if (!span) continue
    const [start, end] = span
    const filler = fillerFor(part, asked, end - start)
    if (filler) gaps.push({ start, end, filler })
  }
  return new Body(body, gaps)
}

const emptyNetwork = Buffer.from(
  JSON.stringify({ followers_count: null, connections_count: null, custom_action: null }),
)

/** Whether an optional part has data. Only bytes are compared. */
export function hasPart({ body, parts: offsets }: CutRecord, part: PersonPart): boolean {
  const span = offsets[part]
  if (!span) return false
  const value = body.subarray(...span)
  const empty = part === 'network' ? emptyNetwork : emptyParts[part]
  return !value.equals(nothing) && !(empty && value.equals(empty))
}

/** The replacement for an optional part; null = the part itself. */
function fillerFor(part: PersonPart, asked: PartsAsked, length: number): Buffer | null {
  if (!asked[part]) return nothing
  return length === nothing.byteLength ? (emptyParts[part] ?? null) : null
}

const opening = Buffer.from('{')
const between = Buffer.from(',')

/** Only the named fields, in the contract's order: everything else becomes a gap. */
function cutFields({ body }: CutRecord, asked: PartsAsked, fields: readonly string[]): Body {
  const spans = fieldSpans(body)
  const gaps: Gap[] = []
  let from = 0
  for (const field of fields) {
    const span = spans.get(field)
    if (!span) continue
    gaps.push({ start: from, end: span.start, filler: from === 0 ? opening : between })
    from = span.end
    const part = partOfField.get(field)
    const filler = part ? fillerFor(part, asked, span.end - span.valueStart) : null
    if (filler) gaps.push({ start: span.valueStart, end: span.end, filler })
  }
  // The record's closing bracket stays.
  gaps.push({ start: from, end: body.byteLength - 1, filler: none })
  return new Body(body, gaps)
}

const none = Buffer.alloc(0)

/** A range of bytes and its replacement. */
interface Gap {
  start: number
  end: number
  filler: Buffer
}

/** The bytes of a response. They are copied only when they are sent, so that the variants of a record use no memory. */
export class Body {
  readonly byteLength: number
  readonly #bytes: Buffer
  /** Ordered from left to right. */
  readonly #gaps: readonly Gap[]

  constructor(bytes: Buffer, gaps: readonly Gap[] = []) {
    this.#bytes = bytes
    this.#gaps = gaps
    let length = bytes.byteLength
    for (const { start, end, filler } of gaps) length += filler.byteLength - (end - start)
    this.byteLength = length
  }

  copyTo(target: Buffer, targetStart: number): void {
    let at = targetStart
    let from = 0
    for (const { start, end, filler } of this.#gaps) {
      at += this.#bytes.copy(target, at, from, start)
      target.set(filler, at)
      at += filler.byteLength
      from = end
    }
    this.#bytes.copy(target, at, from)
  }

  /** The whole body in one buffer. */
  toBuffer(): Buffer {
    if (this.#gaps.length === 0) return this.#bytes
    const copy = Buffer.allocUnsafeSlow(this.byteLength)
    this.copyTo(copy, 0)
    return copy
  }
}

/** Fields that only identify a company. */
const companyIdentity = new Set([
  'company_id',
  'public_identifier',
  'company_name',
  'platform_url',
  'auto_generated',
  'claimable',
  'is_paid',
  'is_showcase',
])

/**
 * True for a record with little more than an identity. It is served and marked as thin; its empty experience never
 * counts as a job change.
 */
export function isThin(record: Person | Company): boolean {
  if ('member_urn' in record) return !record.headline && record.experience.length === 0 && record.education.length === 0
  return Object.entries(record).every(([field, value]) => companyIdentity.has(field) || isEmpty(value))
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === '' || value === false) return true
  return typeof value === 'object' && Object.values(value).every(isEmpty)
}
