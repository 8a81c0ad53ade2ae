import { Argument, type Command } from 'commander'
import { completionScript, shells, type Shell } from '../../completion-script.ts'
import { examples } from '../../examples.ts'

/** `vitae completion` */
export function completionCommand(program: Command): void {
  const command = program
    .command('completion')
    .description('print a script that completes commands and options in your shell')
    .addArgument(new Argument('<shell>', 'which shell').choices(shells))
    .action((shell: Shell) => void process.stdout.write(completionScript(program, shell)))
  examples(
    command,
    'vitae completion bash >> ~/.bashrc',
    'vitae completion zsh >> ~/.zshrc',
    'vitae completion fish > ~/.config/fish/completions/vitae.fish',
  )
}
