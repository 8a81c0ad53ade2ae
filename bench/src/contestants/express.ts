import { createHash } from 'node:crypto'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from '../process/free-port.ts'
import { benchRecord } from '../stores/bench-person.ts'
import { startProcess, untilAnswers } from '../process/start-process.ts'
import type { Contestant } from './contestant.ts'
import type { Engines } from './engines.ts'

const script = join(import.meta.dirname, '../../peers/express-pg-redis.ts')
const schema = `
  drop table if exists usage, keys, accounts, records;
  create table accounts (id integer primary key, balance bigint not null);
  create table keys (id text primary key, hash text unique not null, account integer not null references accounts);
  create table records (slug text primary key, fetched_at timestamptz not null, body text not null);
  create table usage (
    request_id uuid primary key, key_id text not null references keys, credits integer not null,
    at timestamptz not null default now()
  );
  create index on usage (key_id, at);
  insert into accounts values (1, 1000000000);`

interface StartOptions {
  cores: string | null
  engines: Engines
  key: string
  records: number
  /** The body of a record in a response, without the optional parts. */
  bodyOf: (slug: string) => string
}

/** Fills the tables of the Express service and starts it. */
export async function startExpress({ cores, engines, key, records, bodyOf }: StartOptions): Promise<Contestant> {
  await fill(engines.peerUrl, key, records, bodyOf)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const server = startProcess({
    name: 'express-pg-redis',
    command: process.execPath,
    args: [script],
    cores,
    env: { PORT: String(port), DATABASE_URL: engines.peerUrl, REDIS_URL: engines.redisUrl, NODE_ENV: 'production' },
  })
  const slug = benchRecord(0).slug
  await untilAnswers(`${url}/v1/people/profile?profile_id=${slug}`, { ApiKey: key }, server)
  return {
    name: 'express-pg-redis',
    url,
    keys: [key],
    pids: [server.pid, engines.pid],
    account: { price: 1, balance: () => readBalance(url) },
    stop: server.stop,
  }
}

async function readBalance(url: string): Promise<number> {
  const response = await fetch(`${url}/balance`)
  return ((await response.json()) as { balance: number }).balance
}

async function fill(databaseUrl: string, key: string, records: number, bodyOf: StartOptions['bodyOf']): Promise<void> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  await client.query(schema)
  const hash = createHash('sha256').update(key).digest('hex')
  await client.query('insert into keys values ($1, $2, 1)', ['bench', hash])
  for (let index = 0; index < records; index++) {
    const { slug } = benchRecord(index)
    await client.query('insert into records values ($1, now(), $2)', [slug, bodyOf(slug)])
  }
  await client.query('analyze')
  await client.end()
}
