import { LookupCache } from './lookup-cache.ts'
import type { JobFile } from './job-file.ts'
import { JobStopped, type Looked } from './look-up.ts'
import type { OutputFormat } from './output-format.ts'
import type { Input, InputRow } from './read-rows.ts'

interface Needs {
  input: Input
  file: JobFile
  format: OutputFormat
  /** The identifier of a row: two spellings of one are the same. */
  idOf(row: InputRow): string
  concurrency: number
  maxCredits: number | null
  look(id: string): Promise<Looked>
  onRow(looked: Looked): void
  signal: AbortSignal
}

export interface Ended {
  /** Null when every row is done. */
  stopped: string | null
}

/**
 * Goes through the input with so many lookups at once and writes one row per row, in the input's order. That order is
 * what makes a resume simple: as many rows as the output has are skipped.
 */
export async function runEnrich(needs: Needs): Promise<Ended> {
  const { file, signal } = needs
  const cache = new LookupCache(needs.look)
  const waiting: { row: InputRow; looked: Promise<Looked> }[] = []
  let toSkip = file.mark.rows
  let stopped: string | null = null

  const writeOldest = async () => {
    const oldest = waiting.shift()
    if (!oldest) return
    write(needs, oldest.row, await oldest.looked)
  }
  try {
    for await (const row of needs.input.rows()) {
      if (file.mark.bytes === 0 && file.mark.rows === 0 && waiting.length === 0)
        file.append(needs.format.header(row), 0)
      if (toSkip-- > 0) continue
      if (signal.aborted) stopped = 'interrupted'
      if (needs.maxCredits !== null && file.mark.credits + waiting.length >= needs.maxCredits) {
        // Those in flight may turn out free: only when they are done is it certain that the money is spent.
        while (waiting.length > 0) await writeOldest()
        if (file.mark.credits >= needs.maxCredits) stopped = `--max-credits ${needs.maxCredits} is reached`
      }
      if (stopped) break
      const looked = cache.get(needs.idOf(row))
      looked.catch(() => undefined)
      waiting.push({ row, looked })
      if (waiting.length >= needs.concurrency) await writeOldest()
    }
    while (waiting.length > 0) await writeOldest()
  } catch (error) {
    if (error instanceof JobStopped) stopped = error.message
    else if (signal.aborted) stopped = 'interrupted'
    else throw error
    await Promise.allSettled(waiting.map((entry) => entry.looked))
  }
  if (stopped === null) file.finish()
  else file.leave()
  return { stopped }
}

function write({ file, format, onRow }: Needs, row: InputRow, looked: Looked): void {
  file.mark.credits += looked.credits
  file.mark.counts[looked.status] = (file.mark.counts[looked.status] ?? 0) + 1
  file.append(format.line(row, looked), 1)
  onRow(looked)
}
