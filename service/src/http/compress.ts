import { pipeline, type Readable } from 'node:stream'
import { constants, createGzip, createZstdCompress, gzip, zstdCompress } from 'node:zlib'

/** A form in which an answer may travel, beside the plain one. */
export type Coding = 'zstd' | 'gzip'

/** Smaller bodies fit into one packet as they are. */
export const compressedFromBytes = 1_024

// The fastest setting of each: a slower one saves a tenth of the bytes and costs twice the time.
const gzipOptions = { level: constants.Z_BEST_SPEED }
const zstdOptions = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/** The best coding that an `Accept-Encoding` names; null = the answer stays plain. A `*` asks for none in particular. */
export function codingIn(acceptEncoding: string | undefined): Coding | null {
  if (acceptEncoding === undefined) return null
  const asked = acceptEncoding.toLowerCase().split(',').filter(isWanted).map(nameOf)
  return (['zstd', 'gzip'] as const).find((coding) => asked.includes(coding)) ?? null
}

function nameOf(item: string): string {
  return (item.split(';', 1)[0] ?? '').trim()
}

/** A weight of zero means "not this one". */
function isWanted(item: string): boolean {
  return !/;\s*q=0(\.0*)?\s*$/.test(item)
}

/** The bytes in another form, made on another thread; null where that fails. */
export function compressBytes(bytes: Buffer, coding: Coding): Promise<Buffer | null> {
  return new Promise((resolve) => {
    const done = (error: Error | null, made: Buffer) => resolve(error ? null : made)
    if (coding === 'zstd') zstdCompress(bytes, zstdOptions, done)
    else gzip(bytes, gzipOptions, done)
  })
}

/** The same for an answer that is sent while it is made. */
export function compressStream(source: Readable, coding: Coding): Readable {
  const coder = coding === 'zstd' ? createZstdCompress(zstdOptions) : createGzip(gzipOptions)
  // Whoever reads the other end learns of an error there.
  return pipeline(source, coder, () => undefined)
}
