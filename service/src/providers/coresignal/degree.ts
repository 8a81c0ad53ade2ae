import type { Education } from '@vitae/contract'
import { text } from '../mapping/text.ts'

/** `BS, Physics` is degree and field in one; a comma inside brackets does not part them. */
export function splitDegree(value: unknown): Pick<Education, 'degree' | 'field_of_study'> {
  const whole = text(value)
  const parts = whole === null ? null : /^((?:[^,()]|\([^()]*\))+),\s*(.+)$/s.exec(whole)
  return parts ? { degree: text(parts[1]), field_of_study: text(parts[2]) } : { degree: whole, field_of_study: null }
}
