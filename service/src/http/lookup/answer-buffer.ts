import type { Writable } from 'node:stream'

/** Answers up to this size are put together here; larger ones get memory of their own. */
export const answerBufferBytes = 32_768

let buffer = Buffer.allocUnsafeSlow(answerBufferBytes)

/**
 * Memory for the next answer. The kernel takes most answers at once, and then the same memory serves the next one: a buffer
 * for each would be all of the garbage that a hot answer makes.
 */
export function answerBuffer(): Buffer {
  return buffer
}

/** Called after a write of that memory: what is still on its way belongs to the stream now. */
export function answerWritten(stream: Writable | null): void {
  if (stream === null || stream.writableLength > 0) buffer = Buffer.allocUnsafeSlow(answerBufferBytes)
}
