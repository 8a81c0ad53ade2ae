import type { Kind } from '@vitae/contract'
import type { PartOffsets } from '../body/record-bytes.ts'

interface Serialised {
  body: Uint8Array
  parts: string | null
}

/** Gives a serialised record the key of the entity it turned out to belong to. The key is the first field, so only bytes move. */
export function rekey(kind: Kind, { body, parts }: Serialised, key: string): Serialised {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const lead = Buffer.from(kind === 'people' ? '{"member_urn":' : '{"company_id":')
  if (!bytes.subarray(0, lead.length).equals(lead)) throw new Error('a record does not begin with its key')
  const end = endOfValue(bytes, lead.length)
  const value = Buffer.from(JSON.stringify(key))
  const shift = value.length - (end - lead.length)
  return {
    body: Buffer.concat([lead, value, bytes.subarray(end)]),
    parts: parts === null ? null : shiftParts(parts, shift),
  }
}

function endOfValue(bytes: Buffer, start: number): number {
  const text = bytes[start] === quote
  for (let at = start + 1; at < bytes.length; at++) {
    const byte = bytes[at]
    if (!text && (byte === comma || byte === brace)) return at
    if (text && byte === backslash) at++
    else if (text && byte === quote) return at + 1
  }
  throw new Error('a record ends inside its key')
}

const [quote, backslash, comma, brace] = Buffer.from('"\\,}')

function shiftParts(parts: string, shift: number): string {
  const offsets = JSON.parse(parts) as PartOffsets
  const moved = Object.entries(offsets).map(([part, [start, end]]) => [part, [start + shift, end + shift]] as const)
  return JSON.stringify(Object.fromEntries(moved))
}
