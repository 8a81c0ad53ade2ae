import type { AdminAnswer } from '@vitae/contract/admin'
import type { Kind, WatchById } from '@vitae/contract'
import type { AdminClient } from '../../admin/admin-client.ts'
import { CommandError } from '../../command-error.ts'
import { openInput } from '../../enrich/input/read-rows.ts'
import { confirm } from '../../terminal/confirm.ts'
import { counted } from '../../terminal/output.ts'
import type { GlobalOptions } from '../../admin/with-admin.ts'
import { numberOrNull } from '../../numbers.ts'

export interface Payer {
  project: string
  environment: string
  key?: string
  kind: Kind
  everyDays?: number
  note?: string
  maxCreditsPerMonth?: number | 'none'
}

export type Added = Omit<AdminAnswer<'addWatches'>, 'project' | 'environment'>

export const watchesPath = '/admin/v1/watches'
const atOnce = 500

/** Adds watches in as many requests as needed. On a terminal, it asks first whether the price is right. */
export async function addWatches(
  admin: AdminClient,
  options: Payer & GlobalOptions,
  asked: readonly WatchById[],
): Promise<Added> {
  const { project, environment, key, maxCreditsPerMonth: most } = options
  const limit = most === undefined ? {} : { max_credits_per_month: numberOrNull(most) }
  const payer = { project, environment, ...(key === undefined ? {} : { key_id: key }) }
  const send = (watches: readonly WatchById[], more: object) =>
    admin.ask('POST /watches', { body: { ...payer, watches, ...more } })
  const parts = Array.from({ length: Math.max(1, Math.ceil(asked.length / atOnce)) }, (_, at) =>
    asked.slice(at * atOnce, (at + 1) * atOnce),
  )
  if (process.stdin.isTTY && !options.yes && asked.length > 0) {
    const plans: Added[] = []
    for (const part of parts) plans.push(await send(part, { dry_run: true }))
    const once = plans.reduce((sum, plan) => sum + plan.credits_at_once, 0)
    const monthly = plans.reduce((sum, plan) => sum + plan.credits_per_month, 0)
    await confirm(
      options,
      `Watch ${counted(asked.length, 'record')}? At most ${counted(once, 'credit')} at once and ${monthly} in 30 days.`,
    )
  }
  const all: Added[] = []
  for (const part of parts) all.push(await send(part, limit))
  return all.reduce((sum, next, part) => ({
    ...next,
    created: sum.created + next.created,
    existing: sum.existing + next.existing,
    credits_at_once: sum.credits_at_once + next.credits_at_once,
    credits_per_month: Math.round((sum.credits_per_month + next.credits_per_month) * 100) / 100,
    errors: [...sum.errors, ...next.errors.map(({ index, reason }) => ({ index: index + part * atOnce, reason }))],
    watches: [...sum.watches, ...next.watches],
  }))
}

/** Reads watches from a CSV, with their row numbers. */
export async function readWatchFile(file: string, options: Payer): Promise<{ asked: WatchById[]; rows: number[] }> {
  const input = await openInput(file, { format: 'csv', encoding: undefined, delimiter: undefined, columns: ['id'] })
  const asked: WatchById[] = []
  const rows: number[] = []
  for await (const { number, fields, problem } of input.rows()) {
    if (problem !== null) throw new CommandError(`Row ${number}: ${problem}`)
    const cell = (name: string) => {
      const value = fields.get(name)
      return typeof value === 'string' ? value.trim() : ''
    }
    const days = cell('every_days')
    if (!/^\d{0,15}$/.test(days)) throw new CommandError(`Row ${number}: every_days must be a whole number.`)
    const everyDays = days === '' ? options.everyDays : Number(days)
    const note = cell('note') || options.note
    const kind = cell('kind') || options.kind
    if (kind !== 'people' && kind !== 'companies')
      throw new CommandError(`Row ${number}: kind must be people or companies.`)
    asked.push({
      kind,
      id: cell('id'),
      ...(everyDays === undefined ? {} : { every_days: everyDays }),
      ...(note ? { note } : {}),
    })
    rows.push(number)
  }
  return { asked, rows }
}
