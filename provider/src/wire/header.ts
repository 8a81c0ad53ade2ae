import type { RawAnswer } from '../provider.ts'

/** The value of a header, or null. */
export function header(answer: RawAnswer, name: string): string | null {
  return answer.headers[name.toLowerCase()] ?? null
}
