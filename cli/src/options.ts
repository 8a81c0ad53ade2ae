import { InvalidArgumentError, Option } from 'commander'
import { wholeNumber } from './numbers.ts'

interface More {
  required?: true
  choices?: readonly string[]
  usual?: unknown
  /** Parses the value; its error is shown with the option. */
  read?: (text: string) => unknown
}

/** One option of a plain command. */
export function option(flags: string, description: string, { required, choices, usual, read }: More = {}): Option {
  const made = new Option(flags, description)
  if (choices) made.choices(choices)
  if (read) made.argParser(read)
  if (usual !== undefined) made.default(usual)
  return required ? made.makeOptionMandatory() : made
}

const kinds = ['people', 'companies']

/** The `--kind` option. */
export function kindChoice(description: string, usual?: 'people'): Option {
  return option('--kind <kind>', description, { choices: kinds, usual })
}

/** The options that name one environment. */
export function environmentOptions(text = 'the environment'): Option[] {
  return [
    option('--project <name>', 'the project', { required: true }),
    option('--environment <name>', text, { required: true }),
  ]
}

/** The options that limit a list to a project or environment. */
export function ownerFilters(): Option[] {
  return [option('--project <name>', 'only this project'), option('--environment <name>', 'only this environment')]
}

/** The options for the start and size of a page. */
export function pageOptions(usual = 100): Option[] {
  return [
    option('--limit <n>', 'how many', { read: wholeNumber, usual }),
    option('--cursor <cursor>', 'the cursor that the previous page printed'),
  ]
}

/** The options for the time range of a list. */
export function spanOptions(ago = '24h'): Option[] {
  return [sinceOption(ago), option('--until <time>', 'the same, for the end')]
}

/** The option for the start of the range. */
export function sinceOption(ago: string): Option {
  return option('--since <time>', `a date, an ISO 8601 time, or how long ago, such as ${ago}`)
}

/** The `--reason` option. */
export function reasonOption(description = 'why, for the audit log'): Option {
  return option('--reason <text>', description)
}

/** Splits names at commas. */
export function names(text: string): string[] {
  return text.split(',').map((name) => name.trim())
}

/** Parses names separated by commas, `all` or `none`. An empty value is refused, because it could mean either. */
export function nameList(text: string): string[] | 'all' {
  const listed = names(text)
  if (listed.includes('')) throw new InvalidArgumentError('It must be names separated by commas, all or none.')
  const [first = '', ...others] = listed
  if (others.length === 0 && first === 'all') return 'all'
  return others.length === 0 && first === 'none' ? [] : listed
}
