import type { Command } from 'commander'

/** Adds examples to a command's help. A test checks that every command has some. */
export function examples(command: Command, ...lines: string[]): Command {
  return command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`)
}
