import type { NewBatchRow } from '@vitae/client'
import type { Kind } from '@vitae/contract'
import { leafOf } from '@vitae/service/exact-json'
import { parseIdentifier } from '@vitae/service/parse-identifier'
import type { InputRow } from './input/input-row.ts'
import type { MatchColumns } from './input/match-columns.ts'

/** The question of a row as text: an id, or a match as JSON. Empty if the row asks nothing. */
export type Asked = string

/** Reads the identifier of a row. A URL and its slug are the same identifier; the service refuses invalid text. */
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

/** Reads the match of a row from its columns. Case and spaces of an address do not matter. */
export function matchOf(columns: MatchColumns) {
  return ({ fields }: InputRow): Asked => {
    const held = Object.entries(columns).flatMap(([name, column]) => {
      const text = textIn(fields.get(column)).replace(/\s+/g, ' ')
      return text === '' ? [] : [[name, name === 'email' || name === 'domain' ? text.toLowerCase() : text] as const]
    })
    return held.length === 0 ? '' : JSON.stringify(Object.fromEntries(held))
  }
}

/** Parses an id or a match. No id begins with a brace. */
export function readAsked(asked: Asked): string | NewBatchRow {
  return asked.startsWith('{') ? (JSON.parse(asked) as NewBatchRow) : asked
}

function textIn(cell: unknown): string {
  const value = leafOf(cell)
  return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''
}
