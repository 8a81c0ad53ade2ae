import { normalised } from '@vitae/provider'
import type { Kind } from '@vitae/contract'
import { identifierKey, isOpaqueId, opaqueIdsIn, type KindAlias } from '../../foundation/identifier.ts'

const pages: readonly [Kind, RegExp][] = [
  ['people', /\/(?:in|pub)\/([^/?#\s"<>]+)/giu],
  ['companies', /\/(?:company|school|showcase|company-beta)\/([^/?#\s"<>]+)/giu],
]
const longest = 300

/**
 * Every text in a body that may be a name. Only hashes of an erased subject are left, so older data of other people can
 * be searched for it only by hashing every possible name.
 */
export function candidateNames(body: unknown, vendor: string): KindAlias[] {
  const found = new Map<string, KindAlias>()
  const note = (kind: Kind, type: string, value: string) =>
    found.set(identifierKey({ kind, type, value }), { kind, type, value })
  const visit = (value: unknown): void => {
    if (typeof value === 'string') namesInText(value, vendor, note)
    else if (typeof value === 'number') namesInText(String(value), vendor, note)
    else if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) visit(inner)
  }
  visit(body)
  return [...found.values()]
}

type Note = (kind: Kind, type: string, value: string) => void

function namesInText(text: string, vendor: string, note: Note): void {
  for (const [kind, address] of pages) {
    for (const [, part = ''] of text.matchAll(address)) noteOne(kind, decoded(part), note)
  }
  for (const [urn] of text.matchAll(/urn:[^\s"<>]+/gu)) {
    note('people', 'urn', urn)
    const number = /(?<!\d)\d+$/.exec(urn)?.[0]
    if (number) note('people', 'member', number)
  }
  for (const id of opaqueIdsIn(text)) note('people', 'opaque', id)
  if (text.length > longest || /\s/.test(text) || text === '') return
  for (const kind of ['people', 'companies'] as const) {
    note(kind, vendor, text)
    noteOne(kind, decoded(text), note)
  }
  if (/^\d+$/.test(text)) note('people', 'member', text)
}

function noteOne(kind: Kind, text: string, note: Note): void {
  if (kind === 'people' && isOpaqueId(text)) note(kind, 'opaque', text)
  else if (kind === 'companies' && /^\d+$/.test(text)) note(kind, 'id', text)
  else note(kind, 'slug', normalised(normalised(text, 'NFC').toLowerCase(), 'NFC'))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
