import { text } from '@vitae/provider'

/** The platform's own number; the sandbox has words instead. */
export function platformNumber(value: unknown): string | null {
  const id = text(value)
  return id !== null && /^\d+$/.test(id) ? id : null
}
