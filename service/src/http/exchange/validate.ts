import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { Complaints } from '../../foundation/failure.ts'
import { explain } from '../../foundation/schema/explain.ts'

/**
 * Validates a request. Values of queries and paths are text, so they are converted first. Bodies are not converted:
 * null, which removes a setting, would become 0 or "".
 */
export const validate: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  let compiled: Validator | null = null
  return (data: unknown) => {
    // Compiled at the first call, to keep the start fast.
    const validator = (compiled ??= Compile(schema))
    const value = httpPart === 'body' ? (data ?? {}) : validator.Convert(data)
    const complaints = new Complaints()
    explain(schema, value, complaints, validator)
    // Checked last: only a value of the right shape has a bounded number of parts.
    if (complaints.count === 0) findZeroByte(value, complaints)
    return complaints.count > 0 ? { error: complaints.failure() } : { value }
  }
}

/** PostgreSQL cannot store a zero byte in text, so a request that contains one is refused at any depth. */
function findZeroByte(value: unknown, complaints: Complaints): void {
  // A loop, not recursion: a deeply nested body would overflow the stack.
  const left: [path: string, value: unknown][] = [['', value]]
  for (let next = left.pop(); next; next = left.pop()) {
    const [path, given] = next
    if (typeof given === 'string' && given.includes('\0'))
      return void complaints.add(path, 'must not contain a zero byte')
    if (typeof given !== 'object' || given === null) continue
    for (const [name, inner] of Object.entries(given)) left.push([path === '' ? name : `${path}.${name}`, inner])
  }
}
