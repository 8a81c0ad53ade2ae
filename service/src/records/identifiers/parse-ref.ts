import type { Kind } from '@vitae/contract'
import type { Ref } from './find-ref.ts'
import { parseIdentifier } from './parse-identifier.ts'

const keys: Record<Kind, RegExp> = { people: /^urn:/, companies: /^(urn:|vitae-[\da-f]{16}$)/ }

/** An id as operators write it: a `member_urn` or `company_id` in full, or whatever callers may send. */
export function parseRef(kind: Kind, text: string, hosts: readonly string[]): Ref {
  return keys[kind].test(text) ? { key: text } : { identifier: parseIdentifier(kind, text, hosts) }
}
