import { confirm as ask, isCancel } from '@clack/prompts'
import { CommandError } from '../command-error.ts'

/** Asks before something is destroyed: only on a terminal, and never with `--yes` or `--json`. */
export async function confirm(options: { yes: boolean; json: boolean }, question: string): Promise<void> {
  if (options.yes || options.json || !process.stdin.isTTY || !process.stdout.isTTY) return
  const answer = await ask({ message: question, initialValue: false })
  if (isCancel(answer) || !answer) throw new CommandError('Nothing was changed.')
}
