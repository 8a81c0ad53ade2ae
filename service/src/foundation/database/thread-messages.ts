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

/**
 * Posts the first of a turn at once and those that follow it together at its end: each message wakes the other thread, and
 * that costs more than what stands in it.
 */
export function inEnvelopes<Item>(post: (items: Item[]) => void, atEndOfTurn: (flush: () => void) => unknown) {
  let following: Item[] | null = null
  return (item: Item): void => {
    if (following) {
      following.push(item)
      return
    }
    following = []
    post([item])
    atEndOfTurn(() => {
      const items = following ?? []
      following = null
      if (items.length > 0) post(items)
    })
  }
}
