import type { SettingStore } from '../../cluster/node-operations.ts'
import type { AuditStore } from '../../audit/audit-operations.ts'
import type { ResidueStore } from '../store/operations.ts'
import type { CreditStore } from '../../credits/operations.ts'
import { ok, type Finding } from './finding.ts'
import { isoTime } from '../../foundation/clock.ts'
import { bytesGoneBy } from '../erasure/rewrites.ts'

interface Deps {
  store: {
    credits: Pick<CreditStore, 'verifyNewestEntries'>
    audit: Pick<AuditStore, 'listAudit' | 'verifyAudit'>
    settings: Pick<SettingStore, 'readSetting' | 'writeSetting'>
  }
}

/** The parts of the store that can be verified completely. */
export type Checked = 'ledger' | 'audit' | 'backup'

interface FullCheck {
  at: number
  ok: boolean
}

const entries = 5_000
const rows = 500

/** Records that everything was verified, for the doctor. A read-only store must not make the check fail. */
export async function noteFullCheck(
  store: { settings: Pick<SettingStore, 'writeSetting'> },
  what: Checked,
  check: FullCheck,
): Promise<void> {
  await store.settings.writeSetting({ name: `verified.${what}`, value: JSON.stringify(check) }).catch(() => undefined)
}

/** Checks the newest part of the ledger, and reports when all of it was verified. */
export async function checkLedger({ store }: Deps): Promise<Finding> {
  const report = await store.credits.verifyNewestEntries({ limit: entries })
  const full = await lastCheckText(store, 'ledger')
  const [first] = report.differences
  if (!first) return ok('ledger', `The newest part is exact; ${full}`)
  const detail = `${first.what} is ${first.actual}, but should be ${first.expected}; ${full}`
  const mend = 'Do not change the data: this should never happen. Check the whole ledger.'
  return { name: 'ledger', state: 'error', detail, mend, hint: 'vitae ledger verify' }
}

/** Checks the newest rows of the audit log, and reports when all of them were verified. */
export async function checkAudit({ store }: Deps): Promise<Finding> {
  const name = 'audit log'
  const { items } = await store.audit.listAudit({ limit: rows })
  const oldest = items.at(-1)?.id ?? 0
  // From the beginning if the log is short: then the first row is checked too.
  const afterId = items.length < rows ? 0 : oldest
  const { brokenAt, lastId } = await store.audit.verifyAudit({ afterId, limit: rows * 2 })
  const full = await lastCheckText(store, 'audit')
  const isWhole = brokenAt === null && lastId >= (items[0]?.id ?? 0)
  if (isWhole) return ok(name, `The newest entries are unchanged; ${full}`)
  const detail = `Entry ${brokenAt ?? lastId} was changed, or one before it removed; ${full}`
  const mend = 'Do not change the data, and find out who can write to the store. Check the whole log.'
  return { name, state: 'error', detail, mend, hint: 'vitae audit verify' }
}

/** When everything was last verified, and the result; null if it never was. */
export async function lastFullCheck(
  store: { settings: Pick<SettingStore, 'readSetting'> },
  what: Checked,
): Promise<FullCheck | null> {
  const text = await store.settings.readSetting({ name: `verified.${what}` })
  // Written by noteFullCheck.
  return text === null ? null : (JSON.parse(text) as FullCheck)
}

async function lastCheckText(store: Deps['store'], what: Checked): Promise<string> {
  const last = await lastFullCheck(store, what)
  if (last === null) return 'all of it was never checked'
  const { at, ok: wasOk } = last
  return `all of it was last checked at ${isoTime(at)}, ${wasOk ? 'without errors' : 'WITH ERRORS'}`
}

/** Whether the last full check of a scheduled backup succeeded; it runs once a month. */
export async function checkBackupCheck({ store }: Deps): Promise<Finding[]> {
  const last = await lastFullCheck(store, 'backup')
  if (last === null) return []
  const name = 'backup check'
  if (last.ok) return [ok(name, `A backup was checked in full at ${isoTime(last.at)}, without errors`)]
  const detail = `The full check of a backup at ${isoTime(last.at)} found errors`
  const mend = 'Verify it again to see the reason, make a new one, and check its disk.'
  return [{ name, state: 'error', detail, mend, hint: 'vitae backups verify NAME' }]
}

/** A configured Redis that does not answer makes every node stricter and slower, so it must be reported. */
export function checkRedis(connected: (() => boolean) | null): Finding[] {
  if (!connected) return []
  if (connected()) return [ok('redis', 'It is connected')]
  const mend = 'Check REDIS_URL and that this machine can reach it; the service uses it as soon as it answers.'
  const detail =
    'REDIS_URL is set, but Redis does not answer: limits are divided between the nodes and nothing is cached'
  return [{ name: 'redis', state: 'error', detail, mend }]
}

/** Whether files of PostgreSQL contain deleted rows for longer than erasures promise. */
export async function checkRewrite(
  store: { residue: Pick<ResidueStore, 'bytesLeft'> },
  now: number,
  timeOfDayMs: number,
): Promise<Finding> {
  const name = 'erased bytes'
  const waiting = await store.residue.bytesLeft(null)
  if (!waiting) return ok(name, 'No file contains deleted rows of erasures')
  const by = bytesGoneBy(waiting.since, timeOfDayMs)
  const tables = waiting.tables.join(', ')
  if (now <= by) return ok(name, `Deleted rows in ${tables} are gone by ${isoTime(by)}`)
  return {
    name,
    state: 'warning',
    detail: `${tables} still contain deleted rows, which had to be gone by ${isoTime(by)}`,
    mend: 'End the long transaction that reads the database (pg_stat_activity); the service then rewrites the tables.',
  }
}
