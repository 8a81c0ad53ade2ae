import type { Kind } from '@vitae/contract'
import { parseIdentifier } from '@vitae/service/parse-identifier'
import { CommandError } from '../command-error.ts'
import type { InputRow } from './read-rows.ts'

/** What a row asks for. A URL and its bare slug are one identifier; what cannot be read is left for the service to refuse. */
export function identifierOf(kind: Kind, column: string) {
  return ({ number, fields, problem }: InputRow): string => {
    // Later rows may lack it, as ragged files do: that is their failure, not one of the job.
    if (number === 1 && problem === null && !Object.hasOwn(fields, column)) {
      throw new CommandError(`The input has no column ${column}. It has: ${Object.keys(fields).join(', ')}.`, {
        exitCode: 2,
      })
    }
    const value = Object.hasOwn(fields, column) ? fields[column] : ''
    const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : ''
    try {
      return text === '' ? '' : parseIdentifier(kind, text).value
    } catch {
      return text
    }
  }
}
