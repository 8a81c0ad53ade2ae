import { readFileSync, writeFileSync } from 'node:fs'

export interface CampaignRow {
  date: string
  /** The commit of the tested code. */
  commit: string
  machine: string
  minutes: number
  seed: number
  /** The figures of each stage as text. */
  stages: string[]
  lost: number
  doubled: number
  failed: number
}

const mark = '<!-- campaigns: npm run campaign appends a row to this table -->'
const columns = ['date', 'commit', 'machine', 'minutes', 'seed', 'counted', 'lost', 'doubled', 'failed']
const head = `| ${columns.join(' | ')} |\n|${'---|'.repeat(columns.length)}`

/** Appends a row to the marked table of a Markdown file, and creates a missing table. */
export function appendFigures(path: string, row: CampaignRow): void {
  writeFileSync(path, withRow(readOrEmpty(path), row))
}

/** The text with the row at the end of its table. */
export function withRow(text: string, row: CampaignRow): string {
  const { date, commit, machine, minutes, seed, stages, lost, doubled, failed } = row
  const cells = [date, commit, machine, minutes, seed, stages.join('; '), lost, doubled, failed]
  const line = `| ${cells.join(' | ')} |`
  const whole = text.includes(mark) ? text : `${text}${text === '' ? '' : '\n'}${mark}\n\n${head}\n`
  const at = whole.indexOf(mark)
  const [before, after] = [whole.slice(0, at), whole.slice(at).split('\n')]
  const last = after.findLastIndex((one, index) => one.startsWith('|') && isOfFirstTable(after, index))
  return before + after.toSpliced(last + 1, 0, line).join('\n')
}

/** Whether only table lines stand between the mark and a line. */
function isOfFirstTable(lines: readonly string[], index: number): boolean {
  return lines.slice(1, index).every((line) => line === '' || line.startsWith('|'))
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
