import type { Result } from './result.ts'
import { spreadText } from './table.ts'

/** Puts the figures of a result between the marks that the guide keeps for its scenario; a guide without them stays as it is. */
export function fillGuide(guide: string, result: Result): string {
  const marks = new RegExp(`(<!-- bench:${result.scenario} -->\\n)[\\s\\S]*?(<!-- /bench:${result.scenario} -->)`)
  return guide.replace(marks, (_, before: string, after: string) => `${before}${figures(result)}\n${after}`)
}

function figures(result: Result): string {
  const { machine, settings, rows, ratios, billing, verdicts, notes } = result
  const measures = [...new Set(rows.flatMap((row) => Object.keys(row.measures)))]
  const origin = `${machine.date}, ${machine.cpu}, ${machine.cores} cores (${machine.pinning}), Node ${machine.node}`
  const counts = `${settings.rounds} rounds, load by ${machine.loadGenerator}`
  return [
    `![${result.title}](../pictures/bench-${result.scenario}.svg)`,
    `\`${result.command}\` (${origin}; ${counts}; median, lowest..highest):`,
    table(
      ['', ...measures],
      rows.map((row) => [row.name, ...measures.map((name) => spreadText(row.measures[name]))]),
    ),
    table(
      ['ratio in the same run', 'of', ''],
      ratios.map((one) => [`${one.of} / ${one.to}`, one.measure, spreadText(one.value)]),
    ),
    table(
      ['promise', 'wanted', 'got', ''],
      verdicts.map((one) => [one.claim, one.wanted, one.got, one.met ? 'met' : '**not met**']),
    ),
    table(
      ['ledger', 'answers', 'credits spent', ''],
      billing.map((one) => [one.name, String(one.answers), String(one.spent), one.exact ? 'exact' : '**not exact**']),
    ),
    ...notes.map((note) => `Note: ${note}.`),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ''
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
