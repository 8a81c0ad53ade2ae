import { sql } from 'kysely'
import type { Connection } from '../../database/engine/dialect.ts'
import { containing } from '../../database/sql/expressions.ts'

interface Ask {
  project: string | null
  text: string
  /** The first day whose sums are searched. */
  since: number
  limit: number
}

/** The spend tags that contain a text: those of summed days, and those of the newest day. */
export async function tagsLike({ db }: Connection, { project, text, since, limit }: Ask): Promise<string[]> {
  const ofProject = project === null ? sql`` : sql`and environments.project = ${project}`
  const { rows } = await sql<{ tag: string }>`
    select found.tag from (
      select tag, account_id from key_days where day >= ${since} and tag <> ''
      union select tag, account_id from spend_tags
    ) as found join environments on environments.id = found.account_id
    where ${containing(['found.tag'], text)} ${ofProject}
    group by found.tag order by found.tag limit ${limit}`.execute(db)
  return rows.map(({ tag }) => tag)
}
