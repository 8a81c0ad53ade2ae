import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { findPooler } from '../../src/database/postgres/find-pooler.ts'
import { openPostgres, quick } from '../../src/database/postgres/postgres.ts'
import { admin, burst, lookUp, newKey, NodeProcess } from '../harness/node-processes.ts'
import { hasEngines, until } from '../harness/scale-out-engine.ts'
import { freePort } from '../harness/start-engines.ts'

const path = `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`
const hasPgBouncer = !spawnSync('pgbouncer', ['--version'], { env: { PATH: path } }).error
if (!hasPgBouncer) console.warn('NOT RUN: tests behind PgBouncer, because it is not on this machine.')

const server = process.env['TEST_POSTGRES_URL'] ?? ''

/** PgBouncer of Debian in transaction mode, with two server sessions for all clients. */
async function startPgBouncer(more: string): Promise<{ port: number; stop(): Promise<void> }> {
  const { hostname, port, username, password } = new URL(server)
  const [listen, folder] = [await freePort(), mkdtempSync(join(tmpdir(), 'vitae-pgbouncer-'))]
  const file = join(folder, 'pgbouncer.ini')
  const session = `host=${hostname} port=${port} user=${username} password=${password}`
  writeFileSync(
    file,
    `[databases]\n* = ${session}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${listen}\nunix_socket_dir =\n` +
      `auth_type = any\npool_mode = transaction\ndefault_pool_size = 2\nmax_client_conn = 200\n${more}\n`,
    { mode: 0o644 },
  )
  spawnSync('chmod', ['755', folder])
  // It refuses to run as root.
  const asOther = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn('pgbouncer', ['-q', ...asOther, file], { env: { PATH: path }, stdio: 'ignore' })
  await until(() => accepts(listen))
  return {
    port: listen,
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

describe.skipIf(!hasEngines || !hasPgBouncer)('behind PgBouncer in transaction mode', () => {
  const name = `pooled_${randomBytes(6).toString('hex')}`
  const manage = async (statement: string) => {
    const { db } = openPostgres(server, () => undefined)
    await sql.raw(statement).execute(db)
    await db.destroy()
  }
  const through = (port: number) => `postgres://vitae:vitae-test@127.0.0.1:${port}/${name}`
  let strict: Awaited<ReturnType<typeof startPgBouncer>>

  beforeAll(async () => {
    await manage(`create database ${name}`)
    await manage(`alter database ${name} set synchronous_commit = off`)
    strict = await startPgBouncer('')
  })
  afterAll(async () => {
    await strict?.stop()
    await manage(`drop database if exists ${name} with (force)`)
  })

  async function startNode(env: Record<string, string>): Promise<NodeProcess> {
    const node = new NodeProcess(await freePort(), { REDIS_URL: process.env['TEST_REDIS_URL'] ?? '', ...env })
    onTestFinished(() => node.close())
    await node.start()
    return node
  }

  /** Holds one of PgBouncer's two sessions in a transaction, until it ends. */
  async function takeSession(port: number): Promise<pg.Client> {
    const client = new pg.Client(through(port))
    onTestFinished(() => client.end())
    await client.connect()
    await client.query('begin')
    return client
  }

  async function expectExactBilling(node: NodeProcess, project: string): Promise<void> {
    const { key, balance } = await newKey(node.url, project, 1_000)
    expect(await burst(300, 24, () => lookUp(node.url, key, 'amara-okafor'))).toEqual({ 200: 300 })
    expect(await balance()).toBe(700)
    expect(await admin(node.url, 'GET', '/ledger/verify')).toMatchObject({ ok: true })
  }

  test('PgBouncer needs no settings: the start recognises it, and calls are answered and billed exactly', async () => {
    const node = await startNode({ DATABASE_URL: through(strict.port), LOG_LEVEL: 'info' })
    // The log is written every half second.
    await expect.poll(() => node.said).toMatch(/"keepsStatements":false.*a pooler is in front of PostgreSQL/)

    await expectExactBilling(node, 'pooled')
  })

  test('each start of a node finds the pooler anew, also on the sessions of an earlier start', async () => {
    for (let start = 0; start < 3; start++)
      expect(await findPooler(through(strict.port), () => undefined)).toEqual({ keepsStatements: false })
    expect(await findPooler(server, () => undefined)).toBeNull()
  })

  test('with a PgBouncer that allows startup parameters, no call fails when its session changes', async () => {
    const ignored = 'statement_timeout, lock_timeout, idle_in_transaction_session_timeout'
    const lenient = await startPgBouncer(`ignore_startup_parameters = ${ignored}`)
    onTestFinished(() => lenient.stop())
    // The node has one of the two sessions at first, and then only the other, which lacks its statements.
    const first = await takeSession(lenient.port)
    const node = await startNode({ DATABASE_URL: through(lenient.port) })
    await expectExactBilling(node, 'one-session')
    const second = await takeSession(lenient.port)
    await first.end()

    await expectExactBilling(node, 'the-other')
    await second.end()
    await expectExactBilling(node, 'both')
  })

  test('every transaction sets its own limits and leaves none behind', async () => {
    const { db } = openPostgres(through(strict.port), () => undefined, quick, { names: null, perTransaction: true })
    onTestFinished(() => db.destroy())
    const limits = sql<Record<string, string>>`select current_setting('statement_timeout') as statement,
      current_setting('lock_timeout') as lock, current_setting('idle_in_transaction_session_timeout') as idle,
      current_setting('synchronous_commit') as durable`

    const inside = await db.transaction().execute(async (tx) => (await limits.execute(tx)).rows[0])
    const outside = (await limits.execute(db)).rows[0]

    expect(inside).toEqual({ statement: '4s', lock: '3500ms', idle: '1500ms', durable: 'on' })
    expect(outside).toEqual({ statement: '0', lock: '0', idle: '0', durable: 'off' })
  })
})
