/** The column names of a CSV file and a few rows for the preview. */
export interface CsvHead {
  columns: string[]
  rows: string[][]
}

const delimiters = [',', ';', '\t']
const rowsShown = 5

/** Reads the header and the first rows of a text that may end inside a record. Returns null without a header. */
export function readCsvHead(text: string, isWhole: boolean): CsvHead | null {
  const read = delimiters.map((delimiter) => records(text, delimiter))
  const best = read.reduce((a, b) => ((b.whole[0]?.length ?? 0) > (a.whole[0]?.length ?? 0) ? b : a))
  const all = isWhole && best.open.some((cell) => cell !== '') ? [...best.whole, best.open] : best.whole
  const [columns, ...rows] = all.filter((cells) => cells.length > 1 || cells[0] !== '').slice(0, rowsShown + 1)
  return columns ? { columns, rows } : null
}

/** Splits a text into complete records (`whole`) and the cells of the unfinished last one (`open`). */
function records(text: string, delimiter: string): { whole: string[][]; open: string[] } {
  const whole: string[][] = []
  let cells: string[] = []
  let cell = ''
  let quoted = false
  const endCell = () => {
    cells.push(cell)
    cell = ''
  }
  for (let at = 0; at < text.length && whole.length <= rowsShown * 2; at++) {
    const character = text.charAt(at)
    if (character === '"' && quoted && text.charAt(at + 1) === '"') cell += text.charAt(at++)
    else if (character === '"' && (quoted || cell === '')) quoted = !quoted
    else if (quoted) cell += character
    else if (character === delimiter) endCell()
    else if (character === '\n' || (character === '\r' && text.charAt(at + 1) !== '\n')) {
      endCell()
      whole.push(cells)
      cells = []
    } else if (character !== '\r') cell += character
  }
  endCell()
  return { whole, open: cells }
}

/** Guesses the column with the ids: first by profile URLs in its values, then by its name. */
export function likelyColumn({ columns, rows }: CsvHead): string {
  const byName = [/linkedin|profile.?url|company.?url/i, /profile|slug|identifier/i, /url|link/i, /(^|_)id$/i]
  const named = byName.flatMap((pattern) => columns.filter((column) => pattern.test(column)))
  const filled = columns.filter((_, place) => rows.some((row) => /\/(in|company)\//.test(row[place] ?? '')))
  return filled[0] ?? named[0] ?? columns.find((column) => column !== '') ?? ''
}
