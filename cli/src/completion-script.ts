import type { Command } from 'commander'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** Every command path with the words that may follow it. */
function wordsByPath(command: Command, path: string, globals: readonly string[]): [path: string, words: string[]][] {
  const options = command.options.flatMap(({ hidden, long }) => (hidden ? [] : (long ?? [])))
  const choices = command.registeredArguments.flatMap((argument) => argument.argChoices ?? [])
  const inner = command.commands.map((sub) => sub.name())
  const words = [...inner, ...choices, ...new Set([...options, ...globals, '--help'])]
  const below = command.commands.flatMap((sub) => wordsByPath(sub, `${path} ${sub.name()}`, globals))
  return [[path, words], ...below]
}

/** Builds a completion script that contains all words and never calls the program. */
export function completionScript(program: Command, shell: Shell): string {
  const globals = program.options.flatMap((option) => option.long ?? [])
  const table = wordsByPath(program, program.name(), globals)
  if (shell === 'fish') return fishScript(table)
  return shell === 'zsh' ? `autoload -U +X bashcompinit && bashcompinit\n${bashScript(table)}` : bashScript(table)
}

type Table = readonly [path: string, words: string[]][]

/** Joins the typed command words to a path, and offers the words of that path. */
function bashScript(table: Table): string {
  const cases = table.map(([path, words]) => `    "${path}") echo "${words.join(' ')}" ;;`)
  return `_vitae_words() {
  case "$1" in
${cases.join('\n')}
  esac
}
_vitae() {
  local path="vitae" word index
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    if [ -n "$(_vitae_words "$path $word")" ]; then path="$path $word"; fi
  done
  COMPREPLY=($(compgen -W "$(_vitae_words "$path")" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _vitae vitae
`
}

function fishScript(table: Table): string {
  const cases = table.map(([path, words]) => `    case '${path}'\n      printf '%s\\n' ${words.join(' ')}`)
  return `function __vitae_words
  switch "$argv[1]"
${cases.join('\n')}
  end
end
function __vitae_complete
  set -l path vitae
  for word in (commandline -opc)[2..-1]
    if test -n "$(__vitae_words "$path $word")"
      set path "$path $word"
    end
  end
  __vitae_words $path
end
complete -c vitae -a '(__vitae_complete)'
`
}
