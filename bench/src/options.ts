import { join } from 'node:path'
import { parseArgs } from 'node:util'

/** The options of a run. */
export interface Options {
  scenarios: string[]
  /** Names of contestants to keep; empty keeps all. */
  contestants: string[]
  /** Names of disturbances to keep; empty keeps all. */
  besides: string[]
  seconds: number
  rounds: number
  /** Short rounds and small stores: checks that everything works, without meaningful figures. */
  quick: boolean
  /** Records, calls and events in the store of beside-operators. */
  rows: number
  /** Include stores of a million records. */
  full: boolean
  json: boolean
  /** The folder of the results; null to print them only. */
  out: string | null
  /** The folder whose page shows the results of every kind of machine; null to leave it unchanged. */
  page: string | null
  /** The folder of the pictures; null to draw none. */
  pictures: string | null
  /** The guide whose figures are replaced; null to leave it unchanged. */
  guide: string | null
  /** A folder that keeps generated stores for the next run. */
  stores: string | null
  help: boolean
}

export const usage = `npm run bench -- [options]

  --scenario NAME       only this scenario (repeatable): hot, behind-nginx, two-tenants, slow-provider, beside-batch, beside-work,
                        beside-operators, free-routes, cold, live-miss, thundering, keys, duplicates, growth, start, memory
  --contestant NAME     only this contestant of hot and cold (repeatable)
  --beside NAME         only this disturbance of beside-operators, beside-work and free-routes (repeatable)
  --seconds N           length of a round (8)
  --rounds N            rounds per contestant (5)
  --quick               one-second rounds, small stores; figures mean nothing and are not written
  --full                also stores of a million records
  --rows N              records, calls and events in the store of beside-operators (1000000); its contestants are
                        vitae-live and vitae-scale-out
  --stores FOLDER       keep generated stores there for the next run
  --out FOLDER          write results and pictures there, instead of to bench/results/ARCH, docs/pictures and
                        the guide
  --json                print JSON instead of tables`

/** Parses the command line. `folders` has the default places of the results. */
export function parseOptions(argv: string[], folders: { results: string; pictures: string; guide: string }): Options {
  const { values } = parseArgs({
    args: argv,
    options: {
      scenario: { type: 'string', multiple: true, default: [] },
      contestant: { type: 'string', multiple: true, default: [] },
      beside: { type: 'string', multiple: true, default: [] },
      seconds: { type: 'string' },
      rounds: { type: 'string' },
      rows: { type: 'string' },
      quick: { type: 'boolean', default: false },
      full: { type: 'boolean', default: false },
      stores: { type: 'string' },
      out: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const { quick } = values
  return {
    scenarios: values.scenario,
    contestants: values.contestant,
    besides: values.beside,
    seconds: atLeastOne('--seconds', values.seconds) ?? (quick ? 1 : 8),
    rounds: atLeastOne('--rounds', values.rounds) ?? (quick ? 1 : 5),
    quick,
    rows: atLeastOne('--rows', values.rows) ?? (quick ? 1_000 : 1_000_000),
    full: values.full,
    json: values.json,
    // Ratios of one kind of machine do not hold on another, so each kind has its own folder.
    out: values.out ?? (quick ? null : join(folders.results, process.arch)),
    page: values.out !== undefined || quick ? null : folders.results,
    pictures: values.out ?? (quick ? null : folders.pictures),
    guide: values.out !== undefined || quick ? null : folders.guide,
    stores: values.stores ?? null,
    help: values.help,
  }
}

/** The command that repeats a run, without the user's folders. */
export function commandOf(options: Options, scenario: string): string {
  const { contestants, besides, seconds, rounds, rows, quick, full } = options
  return [
    'npm run bench --',
    `--scenario ${scenario}`,
    ...contestants.map((name) => `--contestant ${name}`),
    ...besides.map((name) => `--beside '${name}'`),
    `--seconds ${seconds} --rounds ${rounds}`,
    ...(scenario === 'beside-operators' ? [`--rows ${rows}`] : []),
    ...(quick ? ['--quick'] : []),
    ...(full ? ['--full'] : []),
  ].join(' ')
}

function atLeastOne(name: string, text: string | undefined): number | null {
  if (text === undefined) return null
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1) throw new Error(`${name} wants a whole number from 1, but got ${text}`)
  return count
}
