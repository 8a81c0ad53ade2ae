import { mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Opens a temporary file that has no name any more, so that nothing stays behind after a crash. */
export function openUnnamedFile(): number {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-'))
  try {
    return openSync(join(folder, 'data'), 'w+', 0o600)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
