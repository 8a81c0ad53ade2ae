/** A web address that browsers and parsers take: `https://` is put before one that has no scheme. Blank gives null. */
export function withScheme(url: string | null | undefined): string | null {
  const text = url?.trim() ?? ''
  if (text === '') return null
  // "host:8080" is a host with a port, so only "//" after the colon, or a scheme that never has it, counts.
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text) || /^(mailto|tel):/i.test(text)) return text
  const bare = text.replace(/^\/+/, '')
  return bare === '' ? null : `https://${bare}`
}
