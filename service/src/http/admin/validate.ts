import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'

/**
 * Checks what came in. Queries and paths are text, so their values are converted first. A body is JSON and is taken as it
 * is: to convert there would turn a null, which takes a setting away, into 0 or "", which is a setting.
 */
export const validate: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  let compiled: Validator | null = null
  return (data: unknown) => {
    // Compiled when somebody calls: the service starts quicker without.
    const validator = (compiled ??= Compile(schema))
    const value = httpPart === 'body' ? (data ?? {}) : validator.Convert(data)
    if (validator.Check(value)) return { value }
    return { error: validator.Errors(value).flatMap(complaints) }
  }
}

type Complaint = { keyword: string; schemaPath: string; instancePath: string; message: string; params: object }

/** In the form that the failure table is filled from: one complaint per missing property. */
function complaints(complaint: Complaint): (Complaint & { params: Record<string, unknown> })[] {
  const params = { ...complaint.params } as Record<string, unknown>
  const missing = params['requiredProperties']
  if (!Array.isArray(missing)) return [{ ...complaint, params }]
  return missing.map((name: string) => {
    return { ...complaint, message: `must have ${name}`, params: { missingProperty: name } }
  })
}
