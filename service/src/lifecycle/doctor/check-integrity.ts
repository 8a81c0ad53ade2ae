import type { LifecycleStore } from '../operations.ts'
import { ok, type Finding } from './finding.ts'
import { isoTime } from '../../foundation/clock.ts'

interface Deps {
  store: Pick<LifecycleStore, 'verifyNewestEntries' | 'listAudit' | 'verifyAudit' | 'readSetting' | 'writeSetting'>
}

/** What of the store can be checked as a whole. */
export type Checked = 'ledger' | 'audit'

interface FullCheck {
  at: number
  ok: boolean
}

const entries = 5_000
const rows = 500

/** Notes that everything was checked, for the doctor. A store that takes no writes is no reason for a check to fail. */
export async function noteFullCheck(store: Deps['store'], what: Checked, check: FullCheck): Promise<void> {
  await store.writeSetting({ name: `verified.${what}`, value: JSON.stringify(check) }).catch(() => undefined)
}

/** Checks the newest part of the ledger, and says when all of it was. */
export async function checkLedger({ store }: Deps): Promise<Finding> {
  const report = await store.verifyNewestEntries({ limit: entries })
  const full = await lastFullCheck(store, 'ledger', 'vitae ledger verify')
  const [first] = report.differences
  if (!first) return ok('ledger', `The newest part is exact; ${full}`)
  const detail = `${first.what} is ${first.actual}, and ought to be ${first.expected}; ${full}`
  const mend = 'Keep the data as it is and run "vitae ledger verify": this should never happen.'
  return { name: 'ledger', state: 'error', detail, mend }
}

/** Checks the newest rows of the audit log, and says when all of them were. */
export async function checkAudit({ store }: Deps): Promise<Finding> {
  const name = 'audit log'
  const { items } = await store.listAudit({ limit: rows })
  const oldest = items.at(-1)?.id ?? 0
  // From the beginning where that is near: then the first row is checked too.
  const afterId = items.length < rows ? 0 : oldest
  const { brokenAt, lastId } = await store.verifyAudit({ afterId, limit: rows * 2 })
  const full = await lastFullCheck(store, 'audit', 'vitae audit verify')
  const isWhole = brokenAt === null && lastId >= (items[0]?.id ?? 0)
  if (isWhole) return ok(name, `The newest entries follow from each other; ${full}`)
  const detail = `Entry ${brokenAt ?? lastId} was changed, or one before it removed; ${full}`
  const mend = 'Keep the data as it is, run "vitae audit verify", and find out who can write to the store.'
  return { name, state: 'error', detail, mend }
}

async function lastFullCheck(store: Deps['store'], what: Checked, command: string): Promise<string> {
  const text = await store.readSetting({ name: `verified.${what}` })
  if (text === null) return `all of it was never checked ("${command}" does)`
  // Written by noteFullCheck.
  const { at, ok: wasOk } = JSON.parse(text) as FullCheck
  return `all of it was last checked at ${isoTime(at)}, ${wasOk ? 'and was right' : 'and was NOT right'}`
}

/** Redis: one that was configured and is not there makes every node stricter and slower, and must be seen. */
export function checkRedis(connected: (() => boolean) | null): Finding[] {
  if (!connected) return []
  if (connected()) return [ok('redis', 'It is connected')]
  const mend =
    'See that REDIS_URL is right and that this machine reaches it; the service uses it as soon as it answers.'
  const detail =
    'REDIS_URL is set, but Redis does not answer: limits are divided between the nodes and nothing is cached'
  return [{ name: 'redis', state: 'error', detail, mend }]
}
