/** The operations of the hot path. They carry no bytes, and as text they cost a third of what cloning their objects does. */
const asText = new Set(['settle', 'logCalls'])

/** What goes to or comes from an operation elsewhere, in the form that is cheapest to send. Text is handed on as it is. */
export function packed(name: string, value: unknown): unknown {
  return asText.has(name) && typeof value !== 'string' ? JSON.stringify(value) : value
}

/** The value again, whatever its form. */
export function unpacked(name: string, value: unknown): unknown {
  return asText.has(name) && typeof value === 'string' ? JSON.parse(value) : value
}

/** The bytes in an answer that are handed over to the other thread instead of copied. They own their memory, and have served here. */
export function handedOver(name: string, result: unknown): ArrayBuffer[] {
  if (name !== 'recall' || typeof result !== 'object' || result === null || !('copy' in result)) return []
  const { copy } = result
  const body = typeof copy === 'object' && copy !== null && 'body' in copy ? copy.body : null
  return body instanceof Uint8Array && body.buffer instanceof ArrayBuffer ? [body.buffer] : []
}
