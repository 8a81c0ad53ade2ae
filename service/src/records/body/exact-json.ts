/** A number as written, if a double cannot hold it exactly. */
interface RawNumber {
  rawJSON: string
}

interface ExactJson {
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown
  rawJSON(text: string): RawNumber
  isRawJSON(value: unknown): value is RawNumber
}

// Available in V8 since 11.4, but not yet in TypeScript's library.
const json = JSON as unknown as ExactJson

/** Parses JSON so that serialising it again changes no number: vendor ids may have more digits than a double holds. */
export function parseExactly(text: string): unknown {
  return json.parse(text, (_, value, { source }) => {
    if (typeof value !== 'number' || source === undefined || String(value) === source) return value
    return json.rawJSON(source)
  })
}

/** The comparable value of a leaf; undefined if the node is not a leaf. */
export function leafOf(node: unknown): unknown {
  if (json.isRawJSON(node)) return node.rawJSON
  return typeof node === 'object' && node !== null ? undefined : node
}

/** The value of a JSON body; undefined if it is not valid JSON. */
export function readJson(bytes: Uint8Array): unknown {
  try {
    return parseExactly(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'))
  } catch {
    return undefined
  }
}
