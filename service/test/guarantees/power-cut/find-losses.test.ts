import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startFakeProvider } from '../../../fake-provider/start-fake-provider.ts'
import { Random } from '../../simulation/world/random.ts'
import { AnsweredCalls, type Moments } from './answered-calls.ts'
import { lossesInFolder } from './find-losses.ts'
import { Load } from './load.ts'
import { startOn } from './restart.ts'
import { tearLog } from './tear.ts'

/** Two copies of the folder of a service, the later one after its kill. Neither lacks anything that was answered. */
const folder = mkdtempSync(join(tmpdir(), 'vitae-losses-'))
const [running, earlier, last] = [join(folder, 'running'), join(folder, 'earlier'), join(folder, 'last')]
const answered = new AnsweredCalls()
let answeredEarlier = 0
let all: Moments
let reader: DatabaseSync | null = null

beforeAll(async () => {
  const provider = await startFakeProvider({ provider: 'mirror', logLimit: 0 })
  const env = { VITAE_UPSTREAM: 'mirror', VITAE_MIRROR_URL: provider.url, VITAE_MIRROR_KEY: provider.key }
  const { child, ready } = startOn(running, env)
  try {
    const url = await ready
    for (const name of ['secret-key', 'admin-token'])
      answered.secrets.set(name, readFileSync(join(running, name), 'utf8'))
    const token = answered.secrets.get('admin-token')?.trim() ?? ''
    // One caller, because each search reads everything that the callers made.
    const load = new Load({ url, token }, answered, new Random(1), 1)
    await load.prepare()
    load.start()
    while (answered.revocations.length === 0 || answered.erasures.length === 0) await pause(5)
    await load.stop()
    const lookUp = (slug: string) => load.lookUp({ path: `/v1/people/profile?profile_id=${slug}`, slug })
    reader = await readerOfEmptyLog()
    await lookUp('early')
    answeredEarlier = answered.now
    copyInOtherProcess(running, earlier)
    for (const slug of ['late-1', 'late-2']) await lookUp(slug)
    all = { answeredBy: answered.now, sentBy: answered.now }
    await child.stop('SIGKILL')
    cpSync(running, last, { recursive: true })
  } finally {
    await child.stop('SIGKILL')
    reader?.close()
    await provider.close()
  }
})

/** POSIX drops all locks of a process on a file when the process closes that file, so a copy made here would end those of the reader. */
const copyInOtherProcess = (from: string, to: string) => execFileSync('cp', ['-r', from, to])

/** Reads the database without its log. As long as that lasts, SQLite keeps in the log what is written, so that it can be torn. */
async function readerOfEmptyLog(): Promise<DatabaseSync> {
  const path = join(running, 'vitae.db')
  for (;;) {
    const connection = new DatabaseSync(path)
    connection.exec('pragma wal_checkpoint(truncate); begin; select count(*) from ledger_entries')
    if (statSync(`${path}-wal`).size === 0) return connection
    connection.close()
    await pause(5)
  }
}

afterAll(() => rmSync(folder, { recursive: true, force: true }))

function copyOf(path: string): string {
  const copy = mkdtempSync(join(tmpdir(), 'vitae-damaged-'))
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }))
  cpSync(path, copy, { recursive: true })
  return copy
}

function change(copy: string, statement: string): void {
  const db = new DatabaseSync(join(copy, 'vitae.db'))
  db.exec(statement)
  db.close()
}

test('the search for losses finds nothing in a complete folder', async () => {
  expect(await lossesInFolder(copyOf(last), answered, all)).toEqual([])
})

const someEntry = "(select min(id) from ledger_entries where kind in ('charge', 'capture'))"
test.each<[what: string, of: string, damage: (copy: string) => void]>([
  ['a charge that is gone', 'charge', (copy) => change(copy, `delete from ledger_entries where id = ${someEntry}`)],
  [
    'a charge that is doubled',
    'charge',
    (copy) =>
      change(
        copy,
        `insert into ledger_entries (account_id, kind, amount, request_id, at)
         select account_id, kind, amount, request_id, at from ledger_entries where id = ${someEntry}`,
      ),
  ],
  ['a balance that does not follow', 'ledger', (copy) => change(copy, 'update environments set balance = balance + 1')],
  ['a key that is gone', 'key', (copy) => change(copy, 'delete from keys')],
  ['a key that opens again', 'key', (copy) => change(copy, 'update keys set revoked_at = null')],
  ['a grant that is gone', 'grant', (copy) => change(copy, "delete from ledger_entries where kind = 'grant'")],
  ['a record that is gone', 'record', (copy) => change(copy, 'delete from aliases')],
  [
    'an erased person in some file',
    'erasure',
    (copy) => writeFileSync(join(copy, 'some.log'), answered.erasures[0]?.slug ?? ''),
  ],
  ['a torn secret', 'secret', (copy) => truncateSync(join(copy, 'secret-key'), 20)],
  ['a store that cannot be opened', 'store', (copy) => writeFileSync(join(copy, 'vitae.db'), 'x'.repeat(8_192))],
])('the search for losses finds %s', async (_what, of, damage) => {
  const copy = copyOf(last)

  damage(copy)

  expect(await lossesInFolder(copy, answered, all)).toContainEqual(expect.objectContaining({ of }))
})

test('a torn log may lose later writes, and never earlier ones', async () => {
  const kinds = new Set<string>()
  for (let seed = 0; seed < 4; seed++) {
    const copy = copyOf(last)
    expect(tearLog(earlier, copy, new Random(seed))).toBe(true)
    const sentBy = answered.now

    const losses = await lossesInFolder(copyOf(copy), answered, { answeredBy: answeredEarlier, sentBy })

    expect(losses).toEqual([])
    for (const { of } of await lossesInFolder(copy, answered, all)) kinds.add(of)
  }
  // If they counted as promised, the torn writes would be missing: the tear has an effect.
  expect([...kinds]).toContain('charge')
})
