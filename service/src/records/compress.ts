import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'

/** Bytes as the store keeps them. */
export function pack(bytes: Uint8Array): Uint8Array {
  return zstdCompressSync(bytes)
}

/** Kept bytes as they were. The result owns its memory: sending a view to another thread would copy all that lies around it. */
export function unpack(stored: Uint8Array): Uint8Array {
  const bytes = zstdDecompressSync(stored)
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)
}
