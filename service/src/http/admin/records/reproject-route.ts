import type { FastifyInstance } from 'fastify'
import Type, { type Static } from 'typebox'
import { reprojectRecords } from '../../../lifecycle/records/reproject-records.ts'
import type { AppDeps } from '../../deps.ts'
import type { Admin } from '../access.ts'
import { adminRoute } from '../admin-route.ts'
import { noteAccess } from './find-record.ts'
import { numberCursor } from '../pagination.ts'
import { Moment, readTimeIfGiven } from '../read-time.ts'
import { Count, Cursor, given, orNull } from '../schemas.ts'

const Body = Type.Object({
  provider: Type.Optional(Type.String()),
  since: Type.Optional(Moment),
  outdated: Type.Optional(Type.Boolean({ description: 'Only records that an older mapping made.' })),
  cursor: Type.Optional(
    Type.String({ description: 'Where to go on; 0 begins from the start. By default where the last call ended.' }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
})

const Progress = Type.Object({
  done: Type.Boolean(),
  next_cursor: Cursor,
  resumed: Type.Boolean({ description: 'It went on where an earlier call had stopped.' }),
  seen: Count,
  changed: Count,
  filled: Type.Record(Type.String(), Count, { description: 'Fields that were empty, and in how many records.' }),
  failed: Count,
  total_estimate: orNull(Type.Integer({ description: 'Of all versions; told by the first call only.' })),
})

/** Rebuilds records from the raw archive, a batch per call. How far it came is kept, so a later call goes on from there. */
export function reprojectRoute(app: FastifyInstance, deps: AppDeps): void {
  adminRoute(app, {
    method: 'POST',
    path: '/records/reproject',
    operationId: 'reprojectRecords',
    tag: 'records',
    summary: 'Rebuild the next batch of records from the raw archive',
    description: 'Call it until `done`. A job that was interrupted goes on where it stopped. No provider is asked.',
    role: 'operator',
    body: Body,
    response: Progress,
    handle: ({ admin, body }) => reprojectBatch(deps, admin, body),
  })
}

async function reprojectBatch(
  deps: AppDeps,
  admin: Admin,
  body: Static<typeof Body>,
): Promise<Static<typeof Progress>> {
  const { store, clock, lookup } = deps
  const { provider, outdated = false, limit = 200 } = body
  const job = jobName(body)
  const kept = body.cursor ?? (await store.readSetting({ name: job }))
  const afterVersionId = numberCursor(kept || undefined) ?? 0
  const since = readTimeIfGiven('since', body.since, clock.now())
  const part = await reprojectRecords(
    { store, secret: lookup.secret },
    { ...given({ provider, since }), outdated, limit, afterVersionId },
  )
  await store.writeSetting({ name: job, value: part.done ? '' : String(part.next) })
  const { changed, filled, failed, seen, done } = part
  if (changed > 0) {
    await deps.recordsChanged()
    await noteAccess(deps, admin, 'records.reproject', provider ?? null, { changed, filled, failed })
  }
  return {
    done,
    next_cursor: done ? null : String(part.next),
    resumed: body.cursor === undefined && afterVersionId > 0,
    seen,
    changed,
    filled,
    failed,
    total_estimate: isFirst(body.cursor) ? await store.countVersions(given({ provider, since })) : null,
  }
}

/** Counting takes a while, so only the first call of a job does it. */
function isFirst(cursor: string | undefined): boolean {
  return cursor === undefined || cursor === '0'
}

/** A job is what was asked for: another provider or another span is another job. */
function jobName({ provider = '*', since = '*', outdated = false }: Static<typeof Body>): string {
  return `reproject/${provider}/${since}/${outdated ? 'outdated' : 'all'}`
}
