/** A web address with a scheme: adds `https://` to an address without one. Null for a blank text. */
export function withScheme(url: string | null | undefined): string | null {
  const text = url?.trim() ?? ''
  if (text === '') return null
  // "host:8080" is a host with a port, so a scheme needs "//" after the colon, or is one that never has it.
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text) || /^(mailto|tel):/i.test(text)) return text
  const bare = text.replace(/^\/+/, '')
  return bare === '' ? null : `https://${bare}`
}
