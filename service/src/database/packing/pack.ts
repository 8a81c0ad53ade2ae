import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { dictionary } from './dictionary.ts'

// With the checksum of 4 bytes, damaged bytes fail to unpack instead of becoming another record. With a dictionary, the
// default level takes no longer than the lowest one.
const params = { [constants.ZSTD_c_checksumFlag]: 1 }

/** Most records fit, and anything smaller than half of Node's buffer pool needs no allocation of its own. */
const packedBytes = 4_095

/** Enough for most records, and a quarter of Node's default. */
const usualBytes = 16_384

/** Precedes each packed value and names its dictionary. Values of earlier versions have no mark and no dictionary. */
const mark = Buffer.from([1])

/** Compresses a record or a payload for storage. */
export function pack(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([mark, zstdCompressSync(bytes, { params, dictionary, chunkSize: packedBytes })])
}

/**
 * The original bytes. The result owns its memory: sending a view to another thread would copy the whole buffer behind
 * it.
 */
export function unpack(stored: Uint8Array): Uint8Array {
  const bytes = isMarked(stored)
    ? zstdDecompressSync(stored.subarray(mark.length), { dictionary, chunkSize: usualBytes })
    : zstdDecompressSync(stored, { chunkSize: usualBytes })
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)
}

function isMarked(stored: Uint8Array): boolean {
  return stored[0] === mark[0]
}

/** As versions before the dictionary did, for nodes that run them. */
export function packWithoutDictionary(bytes: Uint8Array): Uint8Array {
  return zstdCompressSync(bytes, {
    params: { ...params, [constants.ZSTD_c_compressionLevel]: 1 },
    chunkSize: packedBytes,
  })
}

/** A packed value of any version as `pack` writes it. Damaged bytes stay unchanged. */
export function repack(stored: Uint8Array): Uint8Array {
  if (isMarked(stored)) return stored
  try {
    return pack(unpack(stored))
  } catch {
    return stored
  }
}

/** The packed column of each table that has one. */
export const packedColumns: Readonly<Record<string, string>> = { versions: 'body', payloads: 'bytes' }
