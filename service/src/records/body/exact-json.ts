/** A number as it was written, where a double would not hold it. */
interface RawNumber {
  rawJSON: string
}

interface ExactJson {
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown
  rawJSON(text: string): RawNumber
  isRawJSON(value: unknown): value is RawNumber
}

// In V8 since 11.4, not in TypeScript's library yet.
const json = JSON as unknown as ExactJson

/** Reads JSON so that writing it again changes no number: ids of vendors may have more digits than a double. */
export function parseExactly(text: string): unknown {
  return json.parse(text, (_, value, { source }) => {
    if (typeof value !== 'number' || source === undefined || String(value) === source) return value
    return json.rawJSON(source)
  })
}

/** The value of a leaf for comparison, or undefined where the node is no leaf. */
export function leafOf(node: unknown): unknown {
  if (json.isRawJSON(node)) return node.rawJSON
  return typeof node === 'object' && node !== null ? undefined : node
}

/** The value of a body, or undefined where it is no JSON. */
export function readJson(bytes: Uint8Array): unknown {
  try {
    return parseExactly(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'))
  } catch {
    return undefined
  }
}
