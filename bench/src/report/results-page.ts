import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { shortNumber, spreadText } from './table.ts'
import type { Result, Verdict } from './result.ts'

/** The results in the folders of every kind of machine, in the given order of scenarios. */
export function readResults(folder: string, order: readonly string[]): Result[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Result)
    .toSorted((a, b) => order.indexOf(a.scenario) - order.indexOf(b.scenario) || (archOf(a) < archOf(b) ? -1 : 1))
}

/** The kind of machine, such as `arm64` or `x64`. */
function archOf({ machine }: Result): string {
  return machine.platform.split(' ')[1] ?? machine.platform
}

/** The file name of a result's picture. */
export function pictureOf(result: Result): string {
  return `bench-${result.scenario}-${archOf(result)}.svg`
}

/** Every result with its picture and tables, as the page bench/results/README.md. */
export function resultsPage(results: readonly Result[]): string {
  const intro =
    'Written by `npm run bench`; do not edit. Each figure is the median of the rounds, with the lowest and the highest. ' +
    'A ratio of one machine is no law: x64 and ARM differ. What the names mean: [docs/guides/performance.md](../../docs/guides/performance.md).'
  return `${['# Results of the benchmark', intro, ...results.map(section)].join('\n\n')}\n`
}

/**
 * Inserts the newest figures of hits and the missed claims between the marks of the guide. A guide without marks stays unchanged.
 */
export function fillGuide(guide: string, results: readonly Result[]): string {
  const hot = results.filter(({ scenario }) => scenario === 'hot')
  const newest = hot.toSorted((a, b) => (a.machine.date < b.machine.date ? 1 : -1)).slice(0, 1)
  const parts = [...newest.flatMap((one) => [origin(one), medians(one)]), sideBySide(results)]
  return guide.replace(
    /(<!-- bench -->\n)[\s\S]*?(<!-- \/bench -->)/,
    (_, before: string, after: string) => `${before}${parts.filter(Boolean).join('\n\n')}\n${after}`,
  )
}

function section(result: Result): string {
  const { rows, ratios, billing, verdicts, notes } = result
  const measures = measuresOf(result)
  return [
    `## ${result.title} (${archOf(result)})`,
    `![${result.title}](../../docs/pictures/${pictureOf(result)})`,
    origin(result),
    table(
      ['', ...measures],
      rows.map((row) => [row.name, ...measures.map((name) => spreadText(row.measures[name]))]),
    ),
    table(
      ['ratio in the same run', 'of', ''],
      ratios.map((one) => [`${one.of} / ${one.to}`, one.measure, spreadText(one.value)]),
    ),
    promises(verdicts),
    table(
      ['ledger', 'answers', 'credits spent', ''],
      billing.map((one) => [one.name, String(one.answers), String(one.spent), one.exact ? 'exact' : '**not exact**']),
    ),
    ...notes.map((note) => `Note: ${note}.`),
  ]
    .filter(Boolean)
    .join('\n\n')
}

function origin({ machine, settings, command }: Result): string {
  const place = `${machine.date}, ${machine.cpu}, ${machine.cores} cores (${machine.pinning}), Node ${machine.node}`
  return `\`${command}\` (${place}; ${settings.rounds} rounds, load by ${machine.loadGenerator}):`
}

function medians(result: Result): string {
  const measures = measuresOf(result)
  const median = (value: { median: number } | undefined) => (value ? shortNumber(value.median) : '')
  return table(
    [result.title, ...measures],
    result.rows.map((row) => [row.name, ...measures.map((name) => median(row.measures[name]))]),
  )
}

const measuresOf = ({ rows }: Result) => [...new Set(rows.flatMap((row) => Object.keys(row.measures)))]

function promises(verdicts: readonly Verdict[]): string {
  return table(
    ['promise', 'wanted', 'got', ''],
    verdicts.map((one) => [one.claim, one.wanted, one.got, one.met ? 'met' : '**not met**']),
  )
}

/** The number of claims that are met on every kind of machine, and a table of the others: figures by kind, and the scenario that repeats them. */
function sideBySide(results: readonly Result[]): string {
  const machines = [...new Set(results.map(archOf))].toSorted()
  const oldestFirst = results.toSorted((a, b) => (a.machine.date < b.machine.date ? -1 : 1))
  const claims = Map.groupBy(
    oldestFirst.flatMap((result) =>
      result.verdicts.map((verdict) => ({ ...verdict, machine: archOf(result), scenario: result.scenario })),
    ),
    ({ claim }) => claim,
  )
  const missed = [...claims].filter(([, verdicts]) => verdicts.some(({ met }) => !met))
  const cell = (verdict: Verdict | undefined) => (verdict ? `${verdict.got}${verdict.met ? '' : ' **not met**'}` : '')
  const rows = missed.map(([claim, verdicts]) => [
    claim,
    verdicts.at(-1)?.wanted ?? '',
    ...machines.map((machine) => cell(verdicts.find((verdict) => verdict.machine === machine))),
    verdicts.at(-1)?.scenario ?? '',
  ])
  const heads = machines.map((machine) => runsOf(oldestFirst.filter((result) => archOf(result) === machine)))
  const summary = `${claims.size - missed.length} of ${claims.size} promises are met. The others, each measured with \`npm run bench -- --scenario NAME\`:`
  return rows.length === 0 ? '' : `${summary}\n\n${table(['promise', 'wanted', ...heads, 'scenario'], rows)}`
}

/** The kind of machine, the version of Node and the days of its results, oldest first. */
function runsOf(results: readonly Result[]): string {
  const [days, versions] = [
    results.map(({ machine }) => machine.date),
    new Set(results.map(({ machine }) => `Node ${machine.node.split('.')[0]}`)),
  ]
  const time = days[0] === days.at(-1) ? days[0] : `${days[0]} to ${days.at(-1)}`
  return [...results.slice(0, 1).map(archOf), ...versions, time].join(', ')
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ''
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
