import type { RawAnswer } from '../provider.ts'

/** The value of a header whatever the case of its name, or null. */
export function header(answer: RawAnswer, name: string): string | null {
  const wanted = name.toLowerCase()
  const exact = answer.headers[wanted]
  if (exact !== undefined) return exact
  const found = Object.entries(answer.headers).find(([key]) => key.toLowerCase() === wanted)
  return found ? found[1] : null
}
