import type { Kind } from '@vitae/contract'
import { foldCase, spellings, type SearchTerm } from './search-terms.ts'

/** Whether a field names the subject: `exact` if it contains only that name, `prose` if it contains more. */
export type Mention = 'exact' | 'prose' | null

const pages: Record<Kind, string> = { people: 'in|pub', companies: 'company|school|showcase|company-beta' }
const namesSomeone = /slug|ident|user|vanity|handle|alias|public|profile|url|link|href|short|nick|(^|_)id$/i
const holdsId = /id$|ids$|_id|urn|member|number/i

/** Builds the test of one field by its name and value. */
export function mentionTest(searchTerms: readonly SearchTerm[]): (key: string, value: unknown) => Mention {
  const tests = searchTerms.map(testOf)
  return (key, value) => {
    if (typeof value !== 'string' && typeof value !== 'number') return null
    const text = unescaped(foldCase(String(value)))
    if (!tests.some((test) => test(key, text))) return null
    return /\s/.test(text) ? 'prose' : 'exact'
  }
}

function testOf(searchTerm: SearchTerm): (key: string, text: string) => boolean {
  const value = escapeRegExp(searchTerm.value)
  if (searchTerm.form === 'text') return (_, text) => text.includes(searchTerm.value)
  if (searchTerm.form === 'token') {
    const token = new RegExp(`(?<![\\p{L}\\p{N}_-])${value}(?![\\p{L}\\p{N}_-])`, 'u')
    return (_, text) => token.test(text)
  }
  const address = new RegExp(`/(?:${pages[searchTerm.kind]})/${value}(?![\\p{L}\\p{M}\\p{N}_-]|\\.[\\p{L}\\p{N}])`, 'u')
  if (searchTerm.form === 'id') {
    // A URN is never longer; without the limit a text full of `urn:` takes minutes.
    const urn = new RegExp(`urn:[^\\s]{0,300}:${value}(?!\\d)`, 'u')
    return (key, text) => (text === searchTerm.value && holdsId.test(key)) || urn.test(text) || address.test(text)
  }
  // A slug of one plain word may be any word: alone it counts only in a field that names someone.
  const telling = /[-\d_.]/.test(searchTerm.value)
  return (key, text) => (text === searchTerm.value && (telling || namesSomeone.test(key))) || address.test(text)
}

/** A quick test on raw bytes: false means that there is certainly no mention. */
export function mayMention(searchTerms: readonly SearchTerm[]): (bytes: Uint8Array) => boolean {
  const sought = [...new Set(searchTerms.flatMap(spellings))]
  // One byte per character is the fastest to decode; it distinguishes ASCII from everything else in any encoding.
  const ascii = sought.every((spelling) => /^[\x20-\x7e]*$/.test(spelling))
  return (bytes) => {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const text = ascii ? buffer.toString('latin1').toLowerCase() : foldCase(buffer.toString('utf8'))
    return sought.some((spelling) => text.includes(spelling))
  }
}

function unescaped(text: string): string {
  if (!text.includes('%')) return text
  try {
    return foldCase(decodeURIComponent(text))
  } catch {
    return text
  }
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
