import { addressOf, type AdminClient, type AdminRoute, type AnswerTo, type Asked } from './admin-client.ts'
import { CommandError } from '../command-error.ts'
import { ProgressBar } from '../terminal/progress-bar.ts'

interface Line<Result> {
  /** `all` is set if the total is known. */
  progress?: { step: string; seen?: number; done?: number; all?: number }
  result?: Result
  error?: string
}

/** Starts long work, shows its progress and returns its result. `lost` builds the message for work that did not finish. */
export async function askWithProgress<Route extends AdminRoute>(
  admin: AdminClient,
  route: Route,
  asked: Asked,
  { doing = '', lost }: { doing?: string; lost: (failure: string | undefined) => string },
): Promise<AnswerTo<Route>> {
  const bar = new ProgressBar()
  let last: Line<AnswerTo<Route>> = {}
  const onLine = (text: string) => {
    const line = JSON.parse(text) as typeof last
    if (!line.progress) last = line
    else {
      const { step, seen, done = 0, all } = line.progress
      const count = seen === undefined ? '' : ` ${seen.toLocaleString('en-US')}`
      bar.show(all === undefined ? null : done / all, `${doing}${step}${count}`)
    }
  }
  await admin.bytes(...addressOf(route, asked), { headers: { accept: 'application/x-ndjson' }, onLine })
  bar.end()
  if (last.result) return last.result
  throw new CommandError(lost(last.error))
}
