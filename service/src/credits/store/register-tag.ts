import type { Connection } from '../../database/dialect.ts'
import { lockEnvironments } from '../../database/sql/lock-environments.ts'

interface RegisterTag {
  environmentId: number
  /** UTC, `2026-11-14`. */
  day: string
  tag: string
  atMost: number
}

/**
 * Notes that an environment uses a tag on this day, unless it has used as many as it may. Gives whether it is counted under
 * its own name, and of the day's tags those that the asker should know: all of them where the day is full, else this one.
 */
export async function registerTag(
  { db: tx, dialect }: Connection,
  { environmentId, day, tag, atMost }: RegisterTag,
): Promise<{ counted: boolean; tags: string[] }> {
  // Two nodes must not both find the last place free.
  await lockEnvironments(tx, dialect, [environmentId])
  const ofEnvironment = tx.selectFrom('spend_tags').where('account_id', '=', environmentId)
  const rows = await ofEnvironment.select('tag').where('day', '=', day).execute()
  const tags = rows.map((row) => row.tag)
  if (tags.includes(tag)) return { counted: true, tags: tags.length >= atMost ? tags : [tag] }
  if (tags.length >= atMost) return { counted: false, tags }
  if (tags.length === 0)
    await tx.deleteFrom('spend_tags').where('account_id', '=', environmentId).where('day', '<', day).execute()
  await tx.insertInto('spend_tags').values({ account_id: environmentId, day, tag }).execute()
  return { counted: true, tags: tags.length + 1 >= atMost ? [...tags, tag] : [tag] }
}
