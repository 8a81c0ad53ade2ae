/** Removes the key from a text. */
export function redactKey(text: string, apiKey: string): string {
  return text.replaceAll(apiKey, '[key]')
}

/**
 * A one-line description of an error below fetch. The error itself is dropped, because it may contain the request's
 * headers.
 */
export function describeFault(error: unknown): string {
  if (!(error instanceof Error)) return 'the connection failed'
  const inner = error.cause instanceof Error ? error.cause : error
  const { code } = inner as { code?: unknown }
  return [inner.message || error.message, typeof code === 'string' && !inner.message.includes(code) && code]
    .filter(Boolean)
    .join(', ')
}
