import { InvalidArgumentError, type Command, type CommanderError, type Option } from 'commander'
import { expect, test } from 'vitest'
import { barChart } from '../src/terminal/bar-chart.ts'
import { completionScript, shells } from '../src/completion-script.ts'
import { buildProgram } from '../src/main.ts'
import { vitaeProcess } from './vitae.ts'

const program = buildProgram()
const leaves = leavesOf(program, [])

test('every command has a description and an example that begins with its own name', () => {
  const bare = leaves.filter(({ command, path }) => {
    const help = helpOf(command)
    return command.description() === '' || !new RegExp(`Examples:[^]*\\$ .*${path.join(' ')}`).test(help)
  })

  expect(leaves.length).toBeGreaterThan(50)
  expect(bare.map(({ path }) => path.join(' '))).toEqual([])
})

test('every command accepts --json, --yes and --url', () => {
  for (const { command } of leaves) {
    const help = helpOf(command)
    expect(help).toMatch(/--json[^]*--yes[^]*--url/)
  }
})

test('every numeric option reports anything that is not a number', () => {
  const numbers = leaves.flatMap(({ command, path }) =>
    command.options
      .filter(({ flags }) => /<(?:n|days|n\|\w+)>$/.test(flags))
      .map((option) => ({ option, path: `${path.join(' ')} ${option.long}` })),
  )

  const silent = numbers.filter(({ option }) => !refuses(option))

  expect(numbers.length).toBeGreaterThan(20)
  expect(silent.map(({ path }) => path)).toEqual([])
})

test('a mistyped option is reported with the nearest one, before any missing option', async () => {
  const misread: string[] = []
  for (const { command, path } of leavesOf(buildProgram(), [])) {
    const known = command.options.find(({ mandatory }) => mandatory)?.long ?? '--json'
    const typo = known.slice(0, -2) + known.slice(-1)
    let said = ''
    command.configureOutput({ writeErr: (text) => void (said += text) })
    let root = command
    while (root.parent) root = root.parent
    const error: unknown = await root.parseAsync(['node', ...path, typo, 'x']).catch((thrown: unknown) => thrown)
    const isRight =
      (error as CommanderError).code === 'commander.unknownOption' &&
      said.includes(`unknown option '${typo}'`) &&
      said.includes(`Did you mean ${known}?`)
    if (!isRight) misread.push(`${path.join(' ')}: ${said}`)
  }

  expect(misread).toEqual([])
})

test('a forgotten argument is reported with all arguments and their choices', async () => {
  const { code, stderr } = await vitaeProcess(['enrich', 'people.csv', '--out', 'enriched.csv'])

  expect(code).toBe(2)
  expect(stderr).toContain('write "vitae enrich <kind> <input>", where <kind> is people or companies')
})

test.each(shells)('the %s completion knows every command', (shell) => {
  const script = completionScript(program, shell)

  for (const { path } of leaves) expect(script).toContain(path.join(' '))
  expect(script).toContain('--json')
})

test('bars are proportional to the largest value, and a small value is still visible', () => {
  const bars = [1_000, 500, 1, 0].map((value) => ({ label: 'x', value, note: '' }))

  const drawn = barChart(bars, 'none', 41).split('\n')

  const lengths = drawn.map((line) => line.replaceAll(/[^█-▏]/g, '').length)
  expect(lengths[0]).toBe(2 * lengths[1]!)
  expect(lengths[2]).toBe(1)
  expect(lengths[3]).toBe(0)
})

function leavesOf(command: Command, path: string[]): { command: Command; path: string[] }[] {
  const own = [...path, command.name()]
  if (command.commands.length === 0) return [{ command, path: own }]
  return command.commands.flatMap((inner) => leavesOf(inner, own))
}

function refuses({ parseArg }: Option): boolean {
  try {
    parseArg?.('twelve', undefined)
    return false
  } catch (error) {
    return error instanceof InvalidArgumentError && error.message.startsWith('It must be')
  }
}

function helpOf(command: Command): string {
  let text = ''
  command.configureOutput({ writeOut: (part) => void (text += part) })
  command.outputHelp()
  return text
}

test.each([
  [['settings', '--json'], '"vitae settings" is now "vitae config show".'],
  [['receipts', 'show', 'some-id', '--json'], '"vitae receipts" is now "vitae calls show".'],
  [['watches', 'match', '--email', 'a@b.example'], '"vitae watches match" is now "vitae watches add".'],
  [['usage', '--group', 'key'], '--group is now --by.'],
])('a name of an earlier version %j is wrong use, in one line that names the new one', async (args, line) => {
  const ran = await vitaeProcess(args, { env: { VITAE_DATA_DIR: '/nonexistent' } })

  expect(ran).toMatchObject({ code: 2, stdout: '', stderr: `vitae: ${line}\n` })
})
