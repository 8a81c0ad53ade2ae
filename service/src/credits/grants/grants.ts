import { appendAudit } from '../../audit/audit.ts'
import type { Connection } from '../../database/engine/dialect.ts'
import { Failure } from '../../foundation/failure.ts'
import { usualAlerts } from '../decision/ledger-snapshot.ts'
import { findEnvironment, readBalance, type EnvironmentName, type CreditBalance } from '../store/balances.ts'

export interface GrantArgs extends EnvironmentName {
  amount: number
  reason?: string | null
  actor: string
  at: number
}

/** Adds credits to an environment. The next call can spend them. */
export async function grantCredits(database: Connection, args: GrantArgs): Promise<CreditBalance> {
  if (args.amount <= 0) throw wrongAmount('must be at least 1; use an adjustment to take credits away')
  return change(database, 'grant', args)
}

/** Corrects a balance by a signed amount. Credits held by calls in progress cannot be removed. */
export async function adjustCredits(database: Connection, args: GrantArgs): Promise<CreditBalance> {
  if (args.amount === 0) throw wrongAmount('must not be 0')
  return change(database, 'adjustment', args)
}

async function change(connection: Connection, kind: 'grant' | 'adjustment', args: GrantArgs): Promise<CreditBalance> {
  if (!Number.isSafeInteger(args.amount)) throw wrongAmount('must be a whole number')
  return enterChange(connection, kind, args)
}

/** Enters a grant or an adjustment into the ledger, the balance and the audit log, in the caller's transaction. */
export async function enterChange(
  { db: tx, dialect }: Connection,
  kind: 'grant' | 'adjustment',
  args: GrantArgs,
): Promise<CreditBalance> {
  const { project, environment, amount, actor, at, reason = null } = args
  const row = await findEnvironment(tx, args, dialect)
  const before = await readBalance(tx, row, at)
  const after = await readBalance(tx, { ...row, balance: row.balance + amount }, at)
  if (after.available < 0)
    throw wrongAmount(`would make the balance negative: only ${before.available} credits are available`)
  if (!Number.isSafeInteger(after.balance)) throw wrongAmount('would make the balance too large to be exact')

  // The balance is high enough again, so the next shortage triggers an alert.
  const isLow = after.balance < (row.alert_credits_below ?? usualAlerts.lowBelow)
  const change = { balance: after.balance, low_told: isLow ? row.low_told : 0 }
  await tx.updateTable('environments').set(change).where('id', '=', row.id).execute()
  const entry = { account_id: row.id, kind, amount, reason, actor, at }
  const checksum = dialect.checksum('ledger_entries', entry)
  await tx
    .insertInto('ledger_entries')
    .values({ ...entry, checksum })
    .execute()
  const subject = `${project}/${environment}`
  const action = kind === 'grant' ? 'credits.grant' : 'credits.adjust'
  await appendAudit(tx, dialect, { at, actor, action, subject, reason, before, after: { ...after, amount } })
  return after
}

function wrongAmount(detail: string): Failure {
  return new Failure('invalid_request', {
    detail: `amount ${detail}`,
    errors: [{ parameter: 'amount', detail }],
  })
}
