import type { Company, Kind, Person } from '@vitae/contract'
import { type MatchInput, normalised } from '@vitae/provider'
import { parse } from 'tldts'
import { foldText } from '../../foundation/text/fold-text.ts'

/**
 * Maps names to row numbers in a dozen bytes per name, so that millions of rows fit. It stores hashes, not names: the
 * caller must compare each candidate with its row.
 */
export interface NameIndex {
  add(name: string, row: number): void
  /** Rows that may have the name, last added first. */
  candidates(name: string): number[]
}

/** An empty index. */
export function createNameIndex(): NameIndex {
  let count = 0
  let hashes = new Uint32Array(1_024)
  let rows = new Uint32Array(1_024)
  /** Open addressing: entry number + 1, or 0 for a free slot. At most half full. */
  let slots = new Uint32Array(2_048)

  function place(entry: number): void {
    const mask = slots.length - 1
    let slot = (hashes[entry] ?? 0) & mask
    while (slots[slot] !== 0) slot = (slot + 1) & mask
    slots[slot] = entry + 1
  }

  function grow(): void {
    hashes = enlarged(hashes)
    rows = enlarged(rows)
    slots = new Uint32Array(slots.length * 2)
    for (let entry = 0; entry < count; entry++) place(entry)
  }

  return {
    add(name, row) {
      if (count === hashes.length) grow()
      hashes[count] = hashOf(name)
      rows[count] = row
      place(count)
      count += 1
    },
    candidates(name) {
      const hash = hashOf(name)
      const mask = slots.length - 1
      const found: number[] = []
      for (let slot = hash & mask; slots[slot] !== 0; slot = (slot + 1) & mask) {
        const entry = (slots[slot] ?? 1) - 1
        if (hashes[entry] === hash) found.push(rows[entry] ?? 0)
      }
      return found.toSorted((a, b) => b - a)
    },
  }
}

function enlarged(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2)
  larger.set(array)
  return larger
}

/** FNV-1a over UTF-16 units, with a final mix so that the low bits are as good as the high ones. */
function hashOf(name: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193)
  hash ^= hash >>> 15
  return Math.imul(hash, 0x2c1b3c6d) >>> 0
}

/** The records that match a question, and the part of the question that found them. */
export interface Matched {
  lines: Uint8Array[]
  agreed: Partial<MatchInput>
}

interface Question {
  wanted: string
  agreed: Partial<MatchInput>
  fits: (record: Person | Company) => boolean
}

/** The contact details and names by which a record can be matched, as `type:value`. */
export function heldNames(record: Person | Company): string[] {
  if ('company_id' in record) {
    const site = record.company_url ? domainOf(record.company_url) : null
    return [...(record.company_name ? [`called:${plain(record.company_name)}`] : []), ...(site ? [`site:${site}`] : [])]
  }
  const { first_name: first, last_name: last, contact_info: contact } = record
  const phones = (contact?.phone_numbers ?? []).map((number) => number.replace(/[^+\d]/g, ''))
  return [
    `called:${plain(`${first ?? ''} ${last ?? ''}`)}`,
    ...(contact?.email_address ? [`email:${normalised(contact.email_address, 'NFC').trim().toLowerCase()}`] : []),
    ...phones.filter((number) => number.startsWith('+')).map((number) => `phone:${number}`),
  ]
}

/** The searches for a question, most reliable first. */
export function questionsOf(kind: Kind, { email, phone, name, company, domain }: MatchInput): Question[] {
  const anyone = () => true
  if (kind === 'companies')
    return [
      ...(domain ? [{ wanted: `site:${domain}`, agreed: { domain }, fits: anyone }] : []),
      ...(name && !domain ? [{ wanted: `called:${plain(name)}`, agreed: { name }, fits: anyone }] : []),
    ]
  const works = (record: Person | Company) =>
    'experience' in record && record.experience.some(({ company_name: at }) => at !== null && isSame(at, company ?? ''))
  return [
    ...(email ? [{ wanted: `email:${email}`, agreed: { email }, fits: anyone }] : []),
    ...(phone ? [{ wanted: `phone:${phone}`, agreed: { phone }, fits: anyone }] : []),
    ...(name && company ? [{ wanted: `called:${plain(name)}`, agreed: { name, company }, fits: works }] : []),
  ]
}

/** The shorter of two names may omit the end of the other: a legal form or a branch. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [plain(one), plain(other)]
  return a !== '' && b !== '' && (`${a} `.startsWith(`${b} `) || `${b} `.startsWith(`${a} `))
}

function plain(text: string): string {
  return foldText(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .join(' ')
}

function domainOf(url: string): string | null {
  return parse(url, { allowPrivateDomains: true }).domain
}
