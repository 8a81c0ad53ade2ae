import type { Kind } from '@vitae/contract'
import { isDerivedCompanyId, isOpaqueId, type Identifier } from '../../foundation/identifier.ts'
import { invalidIdentifier } from './invalid-identifier.ts'

export const identifierAtMost = 300

const emoji = '\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\p{Regional_Indicator}'
// Joiners are part of emoji and of names in Indic and Persian script, but invisible anywhere else.
const joiner = `(?<=[\\p{L}\\p{M}${emoji}])[\\u200C\\u200D](?=[\\p{L}${emoji}])`
const slugOf = (punctuation: string) => new RegExp(`^(?:[\\p{L}\\p{M}\\p{N}${emoji}${punctuation}]|${joiner})+$`, 'u')

const alphabets: Record<Kind, RegExp> = {
  people: slugOf('\\-_.'),
  // Old company pages keep the punctuation of the company's name in their slug.
  companies: slugOf("\\-_.'’&!,+\\(\\)"),
}
const substance = new RegExp(`[\\p{L}\\p{N}${emoji}]`, 'u')

const digits = /^\d+$/

/** Whether a decoded text is over the limit, which counts code points. */
export function exceedsLimit(text: string, atMost = identifierAtMost): boolean {
  return text.length > atMost && Array.from(text).length > atMost
}

/** Reads the decoded name of a person or company: a slug, a company number or an opaque member id. */
export function readSlug(kind: Kind, decoded: string): Identifier {
  if (kind === 'people' && isOpaqueId(decoded)) return { kind, type: 'opaque', value: decoded }
  const value = decoded.normalize('NFC').toLowerCase().normalize('NFC')
  // Normalising may lengthen a text, and what is given out must be accepted again.
  if (exceedsLimit(value)) throw tooLong(kind)
  if (kind === 'companies' && digits.test(value)) return readCompanyNumber(value)
  if (kind === 'companies' && isDerivedCompanyId(value)) return { kind, type: 'id', value }
  if (!alphabets[kind].test(value) || !substance.test(value)) {
    throw invalidIdentifier(kind, 'has characters that no slug has')
  }
  return { kind, type: 'slug', value }
}

/** One number must have one spelling, and guessing which company `007` means could bill for the wrong one. */
function readCompanyNumber(value: string): Identifier {
  if (value.startsWith('0')) throw invalidIdentifier('companies', 'is a company number that starts with 0')
  return { kind: 'companies', type: 'id', value }
}

/** The 400 for an identifier over the limit. */
export function tooLong(kind: Kind, atMost = identifierAtMost) {
  return invalidIdentifier(kind, `is longer than ${atMost} characters`)
}
