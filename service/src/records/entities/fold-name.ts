/** A name as the operator's search compares it: without case, accents and spare spaces. */
export function foldName(name: string): string {
  return (
    name
      .normalize('NFKD')
      .replace(/\p{M}+/gu, '')
      .toLowerCase()
      // PostgreSQL keeps no NUL in a text, and nobody searches for control characters.
      .replace(/\p{Cc}+/gu, ' ')
      .replace(/\s+/g, ' ')
      .trim()
  )
}
