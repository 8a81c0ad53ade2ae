import { pipeline, type Readable } from 'node:stream'
import { constants, createGzip, createZstdCompress, gzip, zstdCompress } from 'node:zlib'

/** A content coding of a response. */
export type Coding = 'zstd' | 'gzip'

/** Smaller bodies fit into one packet uncompressed. */
export const compressedFromBytes = 1_024

// The fastest level of each. A slower level saves a tenth of the bytes and takes twice the time.
const gzipOptions = { level: constants.Z_BEST_SPEED }
const zstdOptions = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/** The best coding that `Accept-Encoding` names; null leaves the response uncompressed, as does `*`. */
export function codingIn(acceptEncoding: string | undefined): Coding | null {
  if (acceptEncoding === undefined) return null
  const asked = acceptEncoding.toLowerCase().split(',').filter(isWanted).map(nameOf)
  return (['zstd', 'gzip'] as const).find((coding) => asked.includes(coding)) ?? null
}

function nameOf(item: string): string {
  return (item.split(';', 1)[0] ?? '').trim()
}

/** A weight of zero (`q=0`) excludes the coding. */
function isWanted(item: string): boolean {
  return !/;\s*q=0(\.0*)?\s*$/.test(item)
}

/** The bytes of a response, compressed unless `coding` is null. */
export interface CodedBytes {
  bytes: Uint8Array
  coding: Coding | null
}

/** Compresses a body as the caller wants it, if it is large enough. */
export async function codedBody(body: string | Buffer, asked: Coding | null): Promise<CodedBytes> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const made = asked === null || bytes.byteLength < compressedFromBytes ? null : await compressBytes(bytes, asked)
  return made ? { bytes: made, coding: asked } : { bytes, coding: null }
}

/** Compresses bytes on another thread; null if that fails. */
export function compressBytes(bytes: Buffer, coding: Coding): Promise<Buffer | null> {
  return new Promise((resolve) => {
    const done = (error: Error | null, made: Buffer) => resolve(error ? null : made)
    if (coding === 'zstd') zstdCompress(bytes, zstdOptions, done)
    else gzip(bytes, gzipOptions, done)
  })
}

/** Compresses a response that is still being produced. */
export function compressStream(source: Readable, coding: Coding): Readable {
  const coder = coding === 'zstd' ? createZstdCompress(zstdOptions) : createGzip(gzipOptions)
  // The reader of the returned stream receives the error.
  return pipeline(source, coder, () => undefined)
}
