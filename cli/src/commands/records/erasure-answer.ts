import type { AdminClient } from '../../admin-client.ts'
import { CommandError } from '../../command-error.ts'
import { ProgressBar } from '../../terminal/progress-bar.ts'

interface Line<Result> {
  progress?: { step: string; seen: number }
  result?: Result
  error?: string
}

/** Asks for an erasure, or for its plan, and shows how far it is. */
export async function postWithProgress<Result>(
  admin: AdminClient,
  path: string,
  body: object,
  verb = 'erasing',
): Promise<Result> {
  const bar = new ProgressBar()
  let result: Result | null = null
  let failure: string | null = null
  const onLine = (text: string) => {
    const line = JSON.parse(text) as Line<Result>
    if (line.progress) bar.show(null, `${verb}: ${line.progress.step} ${line.progress.seen.toLocaleString('en-US')}`)
    result = line.result ?? result
    failure = line.error ?? failure
  }
  await admin.bytes('POST', path, body, { headers: { accept: 'application/x-ndjson' }, onLine })
  bar.end()
  if (result) return result
  throw new CommandError(`The erasure did not end: ${failure ?? 'the connection was lost'}. Run it again: it goes on.`)
}

/** What is said of tables that could not be rewritten yet. */
export function leftText(tables: readonly string[]): string {
  return `Still to come: ${tables.join(', ')} hold deleted rows until the long transaction that reads the database ends; the service then rewrites them by itself.`
}
