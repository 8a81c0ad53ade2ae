import type { AdminAnswer } from '@vitae/contract/admin'
import type { AdminClient } from '../../admin/admin-client.ts'
import { askWithProgress } from '../../admin/ask-with-progress.ts'
import { CommandError } from '../../command-error.ts'
import type { KindOption } from '../../find-kind.ts'
import { readLines } from '../../read-lines.ts'
import { confirm } from '../../terminal/confirm.ts'
import { print, table } from '../../terminal/output.ts'
import type { Context } from '../../admin/with-admin.ts'
import { goneText, lostErasure } from './erasure-texts.ts'

/** An id of a file, and its line. */
interface Id {
  line: number
  id: string
}

type Answer = AdminAnswer<'eraseRecords'>

interface Total extends Omit<Answer, 'subjects' | 'files_rewritten'> {
  lines: (Answer['subjects'][number] & { line: number })[]
}

/** The service's limit for one request. */
const atOnce = 1_000

/** Reads a file of ids. Blank lines and comments (#) are skipped, but count as lines. */
export async function readIds(file: string): Promise<Id[]> {
  const ids: Id[] = []
  let number = 0
  for await (const { line } of await readLines(file)) {
    number += 1
    const id = line.replace(/^\uFEFF/, '').trim()
    if (id !== '' && !id.startsWith('#')) ids.push({ line: number, id })
  }
  if (ids.length === 0) throw new CommandError(`${file} contains no ids.`, { exitCode: 2 })
  return ids
}

/** Erases all listed records, after a plan for all. If one line is wrong, nothing is erased. */
export async function eraseMany(
  {
    admin,
    options,
    json,
  }: Context<KindOption & { reason: string; eraseSuspects: boolean; now: boolean; dryRun: boolean }>,
  ids: readonly Id[],
): Promise<void> {
  const { reason, kind, eraseSuspects, now } = options
  const ask = { reason, erase_suspects: eraseSuspects, now, ...(kind ? { kind } : {}) }
  const plan = await inRequests(admin, ids, { ...ask, dry_run: true })
  if (options.dryRun) return print(json, plan, () => text(plan, 'This would be removed:'))
  await confirm(options, 'Erase all of this? It cannot be brought back.', text(plan, 'This will be removed:'))
  const erased = await inRequests(admin, ids, ask)
  print(json, erased, () => text(erased, 'Erased:'))
}

async function inRequests(
  admin: AdminClient,
  ids: readonly Id[],
  ask: { reason: string; dry_run?: boolean },
): Promise<Total> {
  const total: Total = {
    lines: [],
    calls: 0,
    replays: 0,
    redacted_payloads: 0,
    suppressed_hashes: 0,
    tables_left: [],
    bytes_gone_by: null,
    bytes_gone_at: null,
    duration_ms: 0,
  }
  for (let from = 0; from < ids.length; from += atOnce) {
    const some = ids.slice(from, from + atOnce)
    const body = { ...ask, ids: some.map(({ id }) => id) }
    const shown = { doing: ask.dry_run ? 'planning: ' : 'erasing: ', lost: lostErasure }
    const answer = await askWithProgress(admin, 'POST /records/erase', { body }, shown).catch((error: unknown) => {
      throw error instanceof CommandError ? namingLines(error, some) : error
    })
    total.lines.push(...answer.subjects.map((subject, index) => ({ line: some[index]?.line ?? 0, ...subject })))
    for (const count of ['calls', 'replays', 'redacted_payloads', 'suppressed_hashes', 'duration_ms'] as const)
      total[count] += answer[count]
    const { tables_left, bytes_gone_by, bytes_gone_at } = answer
    Object.assign(total, { tables_left, bytes_gone_by, bytes_gone_at })
  }
  return total
}

/** Replaces positions in the request by lines of the file in the service's error. */
function namingLines(error: CommandError, ids: readonly Id[]): CommandError {
  const wrong = error.errors.flatMap(({ parameter, detail }) => {
    const at = /^ids\/(\d+)$/.exec(parameter)?.[1]
    const found = at === undefined ? undefined : ids[Number(at)]
    return found ? [`line ${found.line}: ${found.id}: ${detail}`] : []
  })
  if (wrong.length === 0) return error
  // The service lists 20 errors and the number of others.
  const more = Number(/and (\d+) more\.$/.exec(error.message)?.[1] ?? 0)
  const rest = more > 0 ? [`and ${more} more`] : []
  const lines = [`Nothing was changed: ${wrong.length + more} lines are wrong.`, ...wrong, ...rest]
  return new CommandError(lines.join('\n'), {
    code: error.code,
    exitCode: 2,
  })
}

function text(total: Total, title: string): string {
  const { lines, calls, replays, redacted_payloads: mentions } = total
  const rows = lines.map((line) => ({ ...line, outcome: line.entities > 0 ? 'erased' : 'nothing stored, suppressed' }))
  const columns = ['line', 'id', 'kind', ...(title === 'Erased:' ? ['outcome'] : []), 'versions', 'fetches', 'payloads']
  return [
    title,
    table(rows, columns, ''),
    `in ${calls} entries of the call log, ${replays} remembered answers, and ${mentions} records of others that mention one of them`,
    ...(title === 'Erased:' ? [goneText(total)] : []),
  ].join('\n')
}
