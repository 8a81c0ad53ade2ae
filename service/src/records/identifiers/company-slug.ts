import { Failure } from '../../foundation/failure.ts'
import { parseIdentifier } from './parse-identifier.ts'

/** The slug of a company's, school's or showcase page in a record; null for a number, or where there is no page. */
export function companySlug(url: string | null): string | null {
  if (url === null) return null
  try {
    const { type, value } = parseIdentifier('companies', url)
    return type === 'slug' ? value : null
  } catch (error) {
    if (error instanceof Failure) return null
    throw error
  }
}
