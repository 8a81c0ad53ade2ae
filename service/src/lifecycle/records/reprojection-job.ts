import type { AdminAnswer, AdminBody } from '@vitae/contract/admin'
import type { Facts } from '../../foundation/schema/encode.ts'
import { given } from '../../foundation/schema/given.ts'
import type { LifecycleStore } from '../store/operations.ts'
import { reprojectRecords } from './reproject-records.ts'

interface Deps {
  store: LifecycleStore
  lookup: { secret: string }
}

type Asked = AdminBody<'reprojectRecords'>

/** Continues a job after its last part, or after `after`. */
export async function continueReprojection(
  { store, lookup }: Deps,
  asked: Asked,
  { since, after }: { since?: number; after: number | null },
): Promise<Facts<AdminAnswer<'reprojectRecords'>>> {
  const { provider, outdated = false, limit = 200 } = asked
  const job = jobName(asked)
  const afterVersionId = after ?? Number((await store.settings.readSetting({ name: job })) || 0)
  const ask = { ...given({ provider, since }), outdated, limit, afterVersionId }
  const { next, ...part } = await reprojectRecords({ store, secret: lookup.secret }, ask)
  await store.settings.writeSetting({ name: job, value: part.done ? '' : String(next) })
  return {
    ...part,
    nextCursor: part.done ? null : String(next),
    resumed: after === null && afterVersionId > 0,
    // Counting takes a while, so only the first call of a job does it.
    totalEstimate:
      after === null || after === 0 ? await store.entities.countVersions(given({ provider, since })) : null,
  }
}

/** A job is identified by its request: another provider or period is another job. */
function jobName({ provider = '*', since = '*', outdated = false }: Asked): string {
  return `reproject/${provider}/${since}/${outdated ? 'outdated' : 'all'}`
}
