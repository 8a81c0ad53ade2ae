import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { moduleUrl } from '../../foundation/module-url.ts'
import { apartFromCopies } from './copy-sqlite.ts'

const run = promisify(execFile)

/**
 * What the engine finds wrong with the file of a store that may be in use: every page is read, in a process of its own, so
 * that no settlement waits for it. Empty where it is sound, null where the time, if it has a limit, was too short.
 */
export function checkFile(path: string, withinMs: number | null): Promise<string[] | null> {
  return apartFromCopies(async () => {
    const script = fileURLToPath(moduleUrl('./check-process', import.meta.url))
    try {
      const { stdout } = await run(process.execPath, [script, path], { timeout: withinMs ?? 0, killSignal: 'SIGKILL' })
      return JSON.parse(stdout) as string[]
    } catch (error) {
      if (error instanceof Error && 'killed' in error && error.killed) return null
      throw error
    }
  })
}
