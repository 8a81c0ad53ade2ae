import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { Complaints } from '../foundation/failure.ts'
import { explain } from '../foundation/schema/explain.ts'

/**
 * Validates a request. Queries and paths are text, so their values are converted first. A body is JSON and is not
 * converted: that would turn null, which removes a setting, into 0 or "", which sets it.
 */
export const validate: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  let compiled: Validator | null = null
  return (data: unknown) => {
    // Compiled at the first call, because that makes the start quicker.
    const validator = (compiled ??= Compile(schema))
    const value = httpPart === 'body' ? (data ?? {}) : validator.Convert(data)
    const complaints = new Complaints()
    explain(schema, value, complaints, validator)
    // Looked for last, in all that there is: what has another shape may be a million lists within each other.
    if (complaints.count === 0) findZeroByte(value, complaints)
    return complaints.count > 0 ? { error: complaints.failure() } : { value }
  }
}

/** PostgreSQL keeps no text with a zero byte, so nothing is looked for or kept under one, however deep it stands. */
function findZeroByte(value: unknown, complaints: Complaints): void {
  // Not by calls of itself: a body may be nested deeper than they may be.
  const left: [path: string, value: unknown][] = [['', value]]
  for (let next = left.pop(); next; next = left.pop()) {
    const [path, given] = next
    if (typeof given === 'string' && given.includes('\0'))
      return void complaints.add(path, 'must not contain a zero byte')
    if (typeof given !== 'object' || given === null) continue
    for (const [name, inner] of Object.entries(given)) left.push([path === '' ? name : `${path}.${name}`, inner])
  }
}
