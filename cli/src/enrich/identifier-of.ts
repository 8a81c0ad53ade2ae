import type { NewBatchRow } from '@vitae/client'
import type { Kind } from '@vitae/contract'
import { leafOf } from '@vitae/service/exact-json'
import { parseIdentifier } from '@vitae/service/parse-identifier'
import type { InputRow } from './input/input-row.ts'
import type { MatchColumns } from './input/match-columns.ts'

/** What a row asks for, as one text: an id, or a match as JSON. Empty where the row asks for nothing. */
export type Asked = string

/** What a row asks for. A URL and its bare slug are one identifier; what cannot be read is left for the service to refuse. */
export function identifierOf(kind: Kind, column: string) {
  return ({ fields }: InputRow): Asked => {
    const text = textIn(fields.get(column))
    try {
      return text === '' ? '' : parseIdentifier(kind, text).value
    } catch {
      return text
    }
  }
}

/** The same for rows that are matched: the cells of their columns. Case and spaces of an address make no other question. */
export function matchOf(columns: MatchColumns) {
  return ({ fields }: InputRow): Asked => {
    const held = Object.entries(columns).flatMap(([name, column]) => {
      const text = textIn(fields.get(column)).replace(/\s+/g, ' ')
      return text === '' ? [] : [[name, name === 'email' || name === 'domain' ? text.toLowerCase() : text] as const]
    })
    return held.length === 0 ? '' : JSON.stringify(Object.fromEntries(held))
  }
}

/** An id, or what is held of someone. No id begins with a brace. */
export function readAsked(asked: Asked): string | NewBatchRow {
  return asked.startsWith('{') ? (JSON.parse(asked) as NewBatchRow) : asked
}

function textIn(cell: unknown): string {
  const value = leafOf(cell)
  return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''
}
