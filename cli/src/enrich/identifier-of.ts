import type { Kind } from '@vitae/contract'
import { leafOf } from '@vitae/service/exact-json'
import { parseIdentifier } from '@vitae/service/parse-identifier'
import type { InputRow } from './input/input-row.ts'

/** What a row asks for. A URL and its bare slug are one identifier; what cannot be read is left for the service to refuse. */
export function identifierOf(kind: Kind, column: string) {
  return ({ fields }: InputRow): string => {
    const value = leafOf(fields.get(column))
    const text = typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''
    try {
      return text === '' ? '' : parseIdentifier(kind, text).value
    } catch {
      return text
    }
  }
}
