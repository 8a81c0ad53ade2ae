import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/**
 * Runs a script that prints a line of JSON at its end. Returns that line, or null if it was stopped before, and its
 * other output.
 */
export async function runJson<Figures>(
  script: string,
  options: readonly string[],
  signal?: AbortSignal,
): Promise<{ figures: Figures | null; code: number | null; said: string }> {
  const child = spawn(process.execPath, ['--no-warnings', join(root, script), ...options], { cwd: root })
  const stop = () => void child.kill('SIGTERM')
  signal?.addEventListener('abort', stop)
  let [stdout, said] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-10_000)))
  await once(child, 'close')
  signal?.removeEventListener('abort', stop)
  const last = stdout.trim().split('\n').at(-1) ?? ''
  return { figures: last.startsWith('{') ? (JSON.parse(last) as Figures) : null, code: child.exitCode, said }
}
