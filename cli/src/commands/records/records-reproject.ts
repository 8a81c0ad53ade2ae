import type { AdminAnswer } from '@vitae/contract/admin'
import type { Command } from 'commander'
import type { AdminClient } from '../../admin/admin-client.ts'
import { examples } from '../../examples.ts'
import { print, table } from '../../terminal/output.ts'
import { ProgressBar } from '../../terminal/progress-bar.ts'
import { withAdmin } from '../../admin/with-admin.ts'

interface Options {
  provider?: string
  since?: string
  outdated: boolean
  restart: boolean
}

type Part = AdminAnswer<'reprojectRecords'>

type Total = Pick<Part, 'seen' | 'changed' | 'failed' | 'filled' | 'resumed'>

/** `vitae records reproject` */
export function reprojectCommand(records: Command): void {
  const reproject = records
    .command('reproject')
    .description('rebuild records from the raw archive, without asking any provider')
    .option('--provider <name>', 'only records of this provider')
    .option('--since <time>', 'only records that were fetched since then')
    .option('--outdated', 'only records of an older mapping', false)
    .option('--restart', 'start over instead of going on where an earlier run was stopped', false)
    .action(
      withAdmin<Options, []>(async ({ admin, options, json }) => {
        const total = await reprojectAll(admin, options)
        print(json, total, () => summary(total))
      }),
    )
  examples(
    reproject,
    'vitae records reproject',
    'vitae records reproject --provider coresignal --since 2026-06-01',
    'vitae records reproject --restart --json',
  )
}

async function reprojectAll(admin: AdminClient, options: Options): Promise<Total> {
  const { provider, since, outdated, restart } = options
  const job = { ...(provider ? { provider } : {}), ...(since ? { since } : {}), outdated }
  const bar = new ProgressBar()
  const total: Total = { seen: 0, changed: 0, failed: 0, filled: {}, resumed: false }
  let estimate: number | null = null
  let cursor = restart ? '0' : null
  for (;;) {
    const body = { ...job, ...(cursor ? { cursor } : {}) }
    const part: Part = await admin.ask('POST /records/reproject', { body })
    estimate ??= part.total_estimate
    total.resumed ||= part.resumed
    total.seen += part.seen
    total.changed += part.changed
    total.failed += part.failed
    for (const [path, count] of Object.entries(part.filled)) total.filled[path] = (total.filled[path] ?? 0) + count
    bar.show(estimate ? total.seen / estimate : null, `${total.seen} records, ${total.changed} changed`)
    if (part.done) break
    cursor = part.next_cursor
  }
  bar.end()
  return total
}

function summary({ seen, changed, failed, filled, resumed }: Total): string {
  const rows = Object.entries(filled)
    .toSorted(([, a], [, b]) => b - a)
    .map(([field, records]) => ({ field, records }))
  const head = `${resumed ? 'Went on where the last run stopped. ' : ''}${seen} records rebuilt, ${changed} changed.`
  const trouble = failed > 0 ? [`${failed} payloads cannot be mapped; their records stay unchanged.`] : []
  return [head, ...trouble, table(rows, ['field', 'records'], 'No empty field was filled.')].join('\n')
}
