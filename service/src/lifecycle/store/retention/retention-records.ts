import { forgetFolds, removeFolds } from '../../../records/versions/fold-rows.ts'
import type { Tx } from '../../../database/engine/dialect.ts'
import { dropEmptyFetchMonths } from '../../../database/postgres/partitions.ts'
import { forgetMentions } from '../../../records/mentions/mention-rows.ts'
import { dropUnusedPayloads } from '../../../records/rows/archive.ts'
import { nextOf, serveWhatIsLeft } from './purge-provider.ts'
import { notifyOfPurge } from '../erasure/notify-recipients.ts'
import { removeEntities } from '../erasure/erase-entity.ts'
import { type StepArgs, type StepResult, cutoff, cutoffsOf, isOlder, limits } from './retention-steps.ts'

const skipped: StepResult = { counts: {}, next: null }

/** Raw payloads: the fetch stays without its payload; bytes that no other fetch shares are deleted. */
export async function chunkOfPayloads(tx: Tx, { now, rules, after, limit, dryRun }: StepArgs): Promise<StepResult> {
  if (!limits(rules, 'rawDays')) return skipped
  const page = await tx
    .selectFrom('fetches')
    .select(['id', 'provider', 'at', 'payload_hash'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  const old = page.filter(
    (row) => row.payload_hash !== null && isOlder(row.at, cutoffsOf(now, rules, row.provider).raw),
  )
  if (!dryRun && old.length > 0) {
    await tx
      .updateTable('fetches')
      .set({ payload_hash: null })
      .where(
        'id',
        'in',
        old.map((row) => row.id),
      )
      .execute()
    await dropUnusedPayloads(tx, [...new Set(old.flatMap((row) => row.payload_hash ?? []))])
  }
  return { counts: { payloads: old.length }, next: nextOf(page, limit) }
}

/** Versions: past ones by the history limit, and even the served one by a provider's storage limit. */
export async function chunkOfVersions(tx: Tx, args: StepArgs): Promise<StepResult> {
  const { now, rules, after, limit, dryRun, dialect } = args
  if (!limits(rules, 'historyDays')) return skipped
  const page = await tx
    .selectFrom('versions')
    .innerJoin('entities', 'entities.id', 'versions.entity_id')
    .select(['versions.id', 'versions.entity_id', 'versions.provider', 'versions.fetched_at', 'entities.version_id'])
    .where('versions.id', '>', after)
    .orderBy('versions.id')
    .limit(limit)
    .execute()
  const old = page.filter((row) => {
    const { history, store } = cutoffsOf(now, rules, row.provider)
    return isOlder(row.fetched_at, row.version_id === row.id ? store : history)
  })
  const served = old.filter((row) => row.version_id === row.id)
  if (dryRun || old.length === 0) return { counts: { versions: old.length }, next: nextOf(page, limit) }
  const ids = old.map((row) => row.id)
  await tx.deleteFrom('paid_versions').where('version_id', 'in', ids).execute()
  await removeFolds(tx, ids)
  await forgetFolds(
    tx,
    old.map((row) => row.entity_id),
  )
  await tx.deleteFrom('versions').where('id', 'in', ids).execute()
  const { entities } = await serveWhatIsLeft(
    tx,
    served.map((row) => row.entity_id),
    { dialect, at: now },
  )
  return { counts: { versions: old.length, entities }, next: nextOf(page, limit) }
}

/** The facts of upstream calls, once neither their payload nor their version is stored. */
export async function chunkOfFetches(tx: Tx, args: StepArgs): Promise<StepResult> {
  const { now, rules, after, limit, dryRun, dialect } = args
  if (!limits(rules, 'historyDays')) return skipped
  const page = await tx
    .selectFrom('fetches')
    .leftJoin('versions', 'versions.fetch_id', 'fetches.id')
    .select(['fetches.id', 'fetches.provider', 'fetches.at', 'fetches.payload_hash', 'versions.id as version_id'])
    .where('fetches.id', '>', after)
    .orderBy('fetches.id')
    .limit(limit)
    .execute()
  const old = page.filter(
    (row) =>
      row.payload_hash === null &&
      row.version_id === null &&
      isOlder(row.at, cutoffsOf(now, rules, row.provider).history),
  )
  const ids = old.map((row) => row.id)
  if (!dryRun && old.length > 0) {
    await tx.deleteFrom('fetches').where('id', 'in', ids).execute()
    await forgetMentions(tx, ids)
  }
  const next = nextOf(page, limit)
  if (!dryRun && next === null && dialect.hasMonths) await dropEmptyFetchMonths(tx, now)
  return { counts: { fetches: old.length }, next }
}

/**
 * Whole records: unused ones, and those that reached the maximum age. They may come back, because nothing is
 * suppressed.
 */
export async function chunkOfEntities(tx: Tx, args: StepArgs): Promise<StepResult> {
  const { now, rules, after, limit, dryRun, dialect } = args
  const unusedSince = cutoff(now, rules.unusedRecordDays)
  const collectedBefore = cutoff(now, rules.recordDays)
  if (unusedSince === null && collectedBefore === null) return skipped
  const page = await tx
    .selectFrom('entities')
    .leftJoin('versions', 'versions.id', 'entities.version_id')
    .select(['entities.id', 'entities.created_at', 'entities.used_at', 'versions.fetched_at'])
    .where('entities.id', '>', after)
    .orderBy('entities.id')
    .limit(limit)
    .execute()
  const old = page.filter(
    (row) =>
      isOlder(row.created_at, collectedBefore) ||
      isOlder(Math.max(row.created_at, row.used_at ?? 0, row.fetched_at ?? 0), unusedSince),
  )
  const ids = old.map((row) => row.id)
  if (!dryRun) {
    await notifyOfPurge(tx, dialect, ids, now)
    await removeEntities(tx, ids)
  }
  return { counts: { entities: old.length }, next: nextOf(page, limit) }
}
