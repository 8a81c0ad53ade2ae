import type { Kind } from '@vitae/contract'
import { unknownField } from '@vitae/service/record-fields'
import { CommandError } from '../command-error.ts'

/** Parses `--fields`. It refuses unknown paths now, because the job would show them only after it is paid for. */
export function readFields(kind: Kind, text: string | undefined): string[] | null {
  if (text === undefined) return null
  const fields = text.split(',').map((field) => field.trim())
  if (fields.includes('')) throw new CommandError('--fields has an empty name between its commas.', { exitCode: 2 })
  for (const field of fields) {
    const problem = unknownField(kind, field)
    if (problem !== null) throw new CommandError(`--fields: ${problem}`, { exitCode: 2 })
  }
  return [...new Set(fields)]
}
