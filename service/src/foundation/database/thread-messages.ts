/** The operations of the hot path. They carry no bytes, and as text they cost a third of what cloning their objects does. */
const asText = new Set(['settle', 'logCalls'])

/** A message to or from the store's thread, in the form that is cheapest to send. */
export function packed(message: { id: number; name: string; args?: unknown; result?: unknown }): object | string {
  return asText.has(message.name) ? JSON.stringify(message) : message
}

/** The message again, whatever its form. */
export function unpacked<Message extends object>(message: Message | string): Message {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `packed` on the other side
  return typeof message === 'string' ? (JSON.parse(message) as Message) : message
}
