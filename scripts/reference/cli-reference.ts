import { buildProgram } from '../../cli/src/main.ts'

type Command = ReturnType<typeof buildProgram>

const intro = `# The command line

Generated from \`vitae --help\` by scripts/generate-reference.ts. Do not edit.

\`vitae\` speaks to the service that runs on the data folder (\`VITAE_DATA_DIR\`, \`./data\` by default). If none runs, it
opens the store itself and does the same. \`--url\` or \`VITAE_URL\`, with \`VITAE_ADMIN_TOKEN\`, reaches a remote service.

On a terminal it prints tables and asks before it destroys something; \`--yes\` skips the question. Everywhere else, and
with \`--json\`, it prints JSON and asks nothing. Progress, complaints and hints go to standard error.

An \`ID\` of a record is a \`member_urn\`, a \`company_id\`, a slug or a URL, with \`--kind people|companies\` if it could be both.

## Exit codes

| code | meaning |
|---|---|
| 0 | done; warnings are possible |
| 1 | it could not be done, or what was checked is not right (\`ledger verify\`, \`audit verify\`, \`doctor\`, \`providers check\`) |
| 2 | wrong use: an unknown command, a missing or malformed option, an id that could be two things |
`

/** The help of every command on one page. */
export function cliReference(): string {
  const program = buildProgram()
  const commands = leavesOf(program, '')
  const groups = Map.groupBy(program.commands, (command) => command.helpGroup())
  const list = [...groups].map(([title, tops]) => {
    const links = tops
      .flatMap((top) => leavesOf(top, 'vitae'))
      .map(({ path }) => `- [\`${path}\`](#${path.replaceAll(' ', '-')})`)
    return `### ${title.replace(/:$/, '')}\n\n${links.join('\n')}\n`
  })
  const pages = commands.map(({ path, command }) => `## ${path}\n\n\`\`\`\n${helpOf(command)}\n\`\`\`\n`)
  return [intro, '## Commands\n', list.join('\n'), ...pages].join('\n')
}

function leavesOf(command: Command, before: string): { path: string; command: Command }[] {
  const path = `${before} ${command.name()}`.trim()
  if (command.commands.length === 0) return [{ path, command }]
  return command.commands.flatMap((inner) => leavesOf(inner, path))
}

/** Formats for 100 columns, independent of the current terminal. */
function helpOf(command: Command): string {
  let text = ''
  command.configureOutput({
    writeOut: (part) => void (text += part),
    getOutHelpWidth: () => 100,
    getOutHasColors: () => false,
  })
  command.outputHelp()
  return text.trim()
}
