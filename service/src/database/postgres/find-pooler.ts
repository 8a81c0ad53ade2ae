import { randomUUID } from 'node:crypto'
import pg from 'pg'

/** A program between this process and the server that may give each transaction another session. */
export interface Pooler {
  /** Whether it prepares a named statement again on another session, as PgBouncer does from 1.21 on. */
  keepsStatements: boolean
}

const connectWithinMs = 6_000
const answerWithinMs = 2_000
const askPid = 'select pg_backend_pid() as pid'

/**
 * Finds a pooler: it names itself as the process of a connection, and not the server's process. Null if there is
 * none. A plain connection is used, because many poolers refuse one that sets time limits.
 */
export async function findPooler(url: string, onError: (error: Error) => void): Promise<Pooler | null> {
  const [one, two] = [0, 1].map(() => {
    const limits = { connectionTimeoutMillis: connectWithinMs, query_timeout: answerWithinMs }
    // Without a listener, a connection that dies would end the process.
    return new pg.Client({ connectionString: url, ...limits }).on('error', onError)
  }) as [pg.Client, pg.Client]
  try {
    await one.connect()
    if ((await pidOf(one, { text: askPid })) === processOf(one)) return null
    await two.connect()
    return { keepsStatements: await keepsStatements(one, two) }
  } finally {
    for (const client of [one, two]) client.end().catch(() => undefined)
  }
}

/** Executes a named statement again while the other connection occupies its session. Doubt counts as no. */
async function keepsStatements(one: pg.Client, two: pg.Client): Promise<boolean> {
  // A session that loses its client may keep the statement, so each start has a name of its own.
  const named = { name: `vitae-${randomUUID()}`, text: askPid }
  try {
    const session = await pidOf(one, named)
    await two.query('begin')
    return (await pidOf(two, { text: askPid })) === session && (await pidOf(one, named)) !== session
  } catch {
    return false
  }
}

async function pidOf(client: pg.Client, query: { name?: string; text: string }): Promise<number> {
  const { rows } = await client.query<{ pid: number }>(query)
  return rows[0]?.pid ?? 0
}

/** The process that the other side named at the connection; the driver does not declare it. */
function processOf(client: pg.Client): unknown {
  return (client as { processID?: unknown }).processID
}
