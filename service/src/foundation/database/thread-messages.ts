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
