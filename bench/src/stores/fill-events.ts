import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { EventType } from '@vitae/contract'
import { sampleEvents } from '../../../service/src/events/sample-events.ts'
import { account, type Payer } from './made-store.ts'

interface Events {
  since: number
  until: number
  events: number
  calls: number
  payers: readonly Payer[]
}

interface Target {
  config: { databaseUrl: string | null }
  storePath: string
}

const atOnce = 50_000
/** One event in this number has the given type. All others are `person.changed`. */
const rare = { 'budget.reached': 100_000, 'provider.down': 1_000, 'batch.completed': 500, 'company.changed': 10 }
/** One call in this number was answered by a provider, as in `fill-calls.ts`. */
const fetchEvery = 10

/**
 * Writes events and provider calls evenly over a period. No store operation writes only these, so it writes to the
 * database directly while the store is closed: a million in seconds.
 */
export async function fillEvents(
  { config, storePath }: Target,
  span: Events,
  onProgress: (done: number, all: number) => void,
): Promise<void> {
  const engine = config.databaseUrl === null ? openFile(storePath) : await openServer(config.databaseUrl)
  const fetches = Math.floor(span.calls / fetchEvery)
  try {
    for (let first = 0; first < fetches; first += atOnce)
      await engine.run(fetchRows(engine.numbers(first, Math.min(fetches, first + atOnce)), span, fetches))
    for (let first = 0; first < span.events; first += atOnce) {
      const to = Math.min(span.events, first + atOnce)
      await engine.run(eventRows(engine.numbers(first, to), span))
      onProgress(to, span.events)
    }
    await engine.run(`insert into settings (name, value)
      select 'events.position', cast(max(position) as text) from events where position is not null having max(position) is not null
      on conflict (name) do update set value = excluded.value`)
    // SQLite gets no statistics, as in production: statistics of a small store would mislead the planner once it has
    // grown.
    if (config.databaseUrl !== null) await engine.run('analyze')
  } finally {
    await engine.close()
  }
}

function eventRows(numbers: string, { since, until, events, payers }: Events): string {
  const at = `${since} + (${until - since} * i) / ${events}`
  const types = Object.entries(rare) as [EventType, number][]
  const choose = (of: (type: EventType) => string) =>
    `case ${types.map(([type, every]) => `when i % ${every} = ${every - 1} then ${of(type)}`).join(' ')} else ${of('person.changed')} end`
  const environments = [...new Set(payers.map(({ environmentId }) => environmentId))]
  const owner = `case i % ${environments.length} ${environments.map((id, index) => `when ${index} then ${id}`).join(' ')} end`
  const samples = new Map(sampleEvents(account).map(({ type, data }) => [type, JSON.stringify(data)]))
  return `insert into events (public_id, position, type, at, account_id, entity_id, data)
    select 'evt_fill' || i, (${at}) * 1000 + i % 1000, ${choose((type) => `'${type}'`)}, ${at},
      case when i % 1000 = 999 then null else ${owner} end, null, ${choose((type) => `'${samples.get(type)}'`)}
    from (${numbers}) as numbers`
}

function fetchRows(numbers: string, { since, until }: Events, fetches: number): string {
  return `insert into fetches (provider, kind, identifier, at, status, outcome, cost, entity_id, redacted, duration_ms)
    select 'sample', 'people', null, ${since} + (${until - since} * i) / ${fetches}, 200,
      case when i % 20 = 0 then 'not_found' else 'found' end, 1, null, 0, 300 + i % 700 from (${numbers}) as numbers`
}

function openFile(path: string) {
  const database = new DatabaseSync(path)
  return {
    numbers: (from: number, to: number) =>
      `with recursive counted(i) as (select ${from} union all select i + 1 from counted where i < ${to - 1}) select i from counted`,
    run: async (text: string) => database.exec(text),
    close: async () => database.close(),
  }
}

async function openServer(url: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return {
    numbers: (from: number, to: number) => `select i from generate_series(${from}::bigint, ${to - 1}::bigint) as i`,
    run: async (text: string) => void (await client.query(text)),
    close: () => client.end(),
  }
}
