import { createInterface } from 'node:readline'
import { CommandError } from '../command-error.ts'

/**
 * Asks before something is destroyed, whenever a person is at the terminal. The question goes to standard error, so that
 * it is seen where the output is piped, and stays out of JSON. `--yes` answers it; without a terminal there is nobody to ask.
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
  // Ctrl-C at a question is a no, where the command has a use of its own for it.
  options.signal?.addEventListener('abort', () => terminal.close())
  process.stderr.write(`${question} (y/N) `)
  const answer = await given
  terminal.close()
  if (!/^\s*y(es)?\s*$/i.test(answer)) throw new CommandError('Nothing was changed.')
}
