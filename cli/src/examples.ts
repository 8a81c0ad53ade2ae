import type { Command } from 'commander'

/** Shows at the end of a command's help how it is used. Every command has some; a test checks it. */
export function examples(command: Command, ...lines: string[]): Command {
  return command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`)
}
