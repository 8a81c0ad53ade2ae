import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import type { TestService } from './test-service.ts'

const rows = 10_000
const hash = `printf('%016x%048x', n, 0)`
const long = `'-' || replace(hex(zeroblob(20)), '00', 'LongName')`

/** The columns that make a copy of a row unique, in SQL with the copy number `n`. Long names have no spaces. */
const copies: Record<string, Record<string, string>> = {
  projects: { name: `'project-' || n || ${long}`, created_at: 'created_at - n' },
  environments: { project: `'project-' || n || ${long}`, balance: 'n * 1000000' },
  keys: {
    id: `'key_' || n`,
    hash: `'hash-' || n`,
    spend_id: `'key_' || n`,
    label: `n || ${long}`,
    created_at: 'created_at - n',
  },
  calls: { request_id: `'copy-' || n`, at: 'at - n * 1000', tag: `'tag-' || (n % 300) || ${long}`, credits: 'n' },
  ledger_entries: { request_id: `'copy-' || n`, at: 'at - n * 1000', amount: 'n * 1000', reason: long },
  entities: { key: `'urn-' || n`, fetched_at: 'fetched_at - n * 1000' },
  suppressions: { hash, reason: long, created_at: 'created_at - n' },
  audit: { at: 'at - n', subject: `n || ${long}`, hash: `'hash-' || n` },
  watches: {
    id: `'watch_' || n`,
    value: `'nobody-' || n || ${long}`,
    note: long,
    entity_id: 'null',
    next_due: '9000000000000',
  },
  batches: { public_id: `'batch_copy-' || n`, name: `n || ${long}`, idempotency_hash: 'null', total: '100000' },
  webhooks: { id: `'hook_' || n`, url: `'https://hooks.example/' || n || ${long}` },
  admin_tokens: { id: `'tok_' || n`, hash: `'hash-' || n`, label: `n || ${long}` },
  sessions: { hash, created_at: 'created_at - n', actor: `'person:' || n || ${long}`, user_agent: long },
}

/** Quickly fills a service with many rows for every list, by copying rows that were created normally. */
export async function fillStore(service: TestService): Promise<void> {
  await makeOneOfEach(service)
  const store = new DatabaseSync(join(service.folder, 'vitae.db'), { timeout: 30_000 })
  store.exec('pragma synchronous = off')
  for (const [table, changes] of Object.entries(copies)) {
    const columns = store
      .prepare(`select name from pragma_table_info(?) where not (name = 'id' and type = 'integer' collate nocase)`)
      .all(table)
      .map(({ name }) => String(name))
    const values = columns.map((column) => changes[column] ?? column)
    store.exec(`with recursive count(n) as (select 1 union all select n + 1 from count where n < ${rows})
      insert into ${table} (${columns.join()}) select ${values.join()} from count, (select * from ${table} limit 1)`)
  }
  store.close()
}

async function makeOneOfEach(service: TestService): Promise<void> {
  const place = { project: 'demo', environment: 'production' }
  await service.admin('POST', '/suppressions', { kind: 'people', ids: ['nobody-at-all'], reason: 'a test' })
  await service.admin('POST', '/watches', { ...place, watches: [{ kind: 'people', id: 'salma-idrissi' }] })
  await service.admin('POST', '/webhooks', { ...place, url: 'https://hooks.example/', events: ['credits.low'] })
  await service.admin('POST', '/tokens', { role: 'viewer', label: 'reports' })
  await fetch(`${service.url}/v1/batches?kind=people`, {
    method: 'POST',
    headers: { ApiKey: service.demo.test_key, 'content-type': 'text/csv' },
    body: 'id\nsalma-idrissi\n',
  })
}
