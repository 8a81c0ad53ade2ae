import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'

const decoders = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
} as const

/** What may be sent to us compressed. */
export const acceptEncoding = 'gzip, br'

/** Undoes the content encoding; a small body that unpacks to more than `maxBytes` is given up while it unpacks. */
export async function decodeBody(
  encoding: string | undefined,
  body: Uint8Array,
  maxBytes: number,
): Promise<Uint8Array> {
  const name = encoding?.trim().toLowerCase() ?? 'identity'
  if (name === 'identity' || name === '') return body
  if (!isKnown(name)) throw new Error('unknown content encoding')
  const decoded = await decoders[name](body, { maxOutputLength: maxBytes })
  return new Uint8Array(decoded)
}

function isKnown(name: string): name is keyof typeof decoders {
  return Object.hasOwn(decoders, name)
}
