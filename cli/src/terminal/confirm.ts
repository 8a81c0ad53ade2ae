import { createInterface } from 'node:readline'
import { CommandError } from '../command-error.ts'

/**
 * Asks for confirmation if a terminal is attached. The question goes to standard error, so it is visible when output is
 * piped and stays out of JSON. `--yes` skips it, as does a missing terminal.
 */
export async function confirm(
  options: { yes: boolean; signal?: AbortSignal },
  question: string,
  plan?: string,
): Promise<void> {
  if (options.yes || !process.stdin.isTTY) return
  if (plan !== undefined) process.stderr.write(`${plan}\n\n`)
  const terminal = createInterface({ input: process.stdin, output: process.stderr, terminal: false })
  const given = new Promise<string>((resolve) => {
    terminal.once('line', resolve)
    terminal.once('close', () => resolve(''))
  })
  // For commands that handle Ctrl-C themselves, Ctrl-C at the question means no.
  options.signal?.addEventListener('abort', () => terminal.close())
  process.stderr.write(`${question} (y/N) `)
  const answer = await given
  terminal.close()
  if (!/^\s*y(es)?\s*$/i.test(answer)) throw new CommandError('Nothing was changed.')
}
