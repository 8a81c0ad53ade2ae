import { text } from './text.ts'

/** `remote`, `hybrid` or `onsite`, where a provider names one of them. */
export function workplaceType(value: unknown): string | null {
  const folded = text(value)
    ?.toLowerCase()
    .replace(/[^a-z]/g, '')
  return folded === 'remote' || folded === 'hybrid' || folded === 'onsite' ? folded : null
}
