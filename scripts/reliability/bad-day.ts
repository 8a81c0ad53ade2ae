import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
  closeSync,
  statSync,
} from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { FakeProvider } from '../../service/fake-provider/fake-provider.ts'
import { startFakeProvider } from '../../service/fake-provider/start-fake-provider.ts'
import { startService, type RunningService } from './service.ts'

const usage = `node scripts/reliability/bad-day.ts [name ...]

Runs attacks and accidents against a service and prints the results. Needs Linux; diskFull needs root.`

interface Engine {
  folder: string
  provider: FakeProvider
  env: Record<string, string>
}

/** Looks up a series of people one after another, and counts outcomes and charges. */
async function series(service: RunningService, key: string, prefix: string, count: number) {
  const outcomes: Record<string, number> = {}
  let charged = 0
  for (let index = 0; index < count; index++) {
    const answer = await service.ask(`${prefix}-${index}`, key)
    const name = `${answer.status}${answer.status === 200 ? '' : ` ${answer.code}`}`
    outcomes[name] = (outcomes[name] ?? 0) + 1
    charged += answer.charged
  }
  return { outcomes, charged }
}

async function open(engine: Engine, flags: string[] = []): Promise<{ service: RunningService; key: string }> {
  const service = await startService(engine.folder, engine.env, flags)
  const key = await service.makeKey('live')
  await service.grant(100_000)
  return { service, key }
}

/** The output of a start, whether it succeeds or not. */
async function tryStart(engine: Engine): Promise<{ service: RunningService | null; message: string }> {
  try {
    return { service: await startService(engine.folder, engine.env), message: 'starts' }
  } catch (error) {
    return { service: null, message: error instanceof Error ? error.message.slice(0, 300) : String(error) }
  }
}

const verify = (service: RunningService) =>
  service.admin('GET', '/ledger/verify').catch((error: unknown) => String(error))

function mount(folder: string, options: string): void {
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`cannot mount: ${stderr}`)
}

const days: Record<string, (engine: Engine) => Promise<unknown>> = {
  /** The disk fills up under load, and is enlarged later. */
  async diskFull(engine) {
    mount(engine.folder, 'size=10m')
    try {
      const { service, key } = await open(engine)
      const full = await series(service, key, 'full', 1_500)
      const alive = service.isAlive()
      mount(engine.folder, 'remount,size=200m')
      await pause(2_000)
      const after = alive ? await series(service, key, 'after', 50) : null
      const { service: again } = alive ? { service } : await tryStart(engine)
      const spent = again ? 100_000 - (await again.balance()) : null
      const ledger = again ? await verify(again) : null
      await again?.end()
      return { full, alive, after, spent, answered: full.charged + (after?.charged ?? 0), ledger }
    } finally {
      spawnSync('umount', ['-l', engine.folder])
    }
  },

  /** The wall clock jumps a month ahead, then two months back. */
  async clockJump(engine) {
    const file = join(engine.folder, 'clock')
    writeFileSync(file, '0')
    const flags = ['--import', join(import.meta.dirname, 'clock.ts')]
    const { service, key } = await open({ ...engine, env: { ...engine.env, VITAE_TEST_CLOCK_FILE: file } }, flags)
    const days = 86_400_000
    const seen: Record<string, unknown> = {}
    for (const [name, offset] of [
      ['now', 0],
      ['a month ahead', 30 * days],
      ['a month back', -30 * days],
      ['now again', 0],
    ] as const) {
      writeFileSync(file, String(offset))
      await pause(500)
      const response = await fetch(`${service.url}/v1/people/profile?profile_id=jumper`, { headers: { ApiKey: key } })
      await response.arrayBuffer()
      seen[name] = [
        response.status,
        response.headers.get('x-data-source'),
        `age ${response.headers.get('x-data-age-seconds')}`,
      ]
    }
    const ledger = await verify(service)
    await service.end()
    return { seen, ledger }
  },

  /** Somebody deletes the database while the service runs. */
  async deletedDatabase(engine) {
    const { service, key } = await open(engine)
    const before = await series(service, key, 'before', 10)
    for (const name of ['vitae.db', 'vitae.db-wal', 'vitae.db-shm']) rmSync(join(engine.folder, name), { force: true })
    const after = await series(service, key, 'after', 10)
    await pause(3_000)
    const alive = service.isAlive()
    const ready = alive ? (await fetch(`${service.url}/readyz`)).status : null
    const lastWords = service.written().trim().split('\n').at(-1)?.slice(0, 200)
    await service.end()
    return { before, after, alive, ready, lastWords }
  },

  /** Killed at a dozen moments of its first start, during the migrations. */
  async killedInMigration(engine) {
    const moments: string[] = []
    for (let moment = 0; moment < 12; moment++) {
      const folder = join(engine.folder, `start-${moment}`)
      const database = join(folder, 'vitae.db')
      let pid = 0
      const starting = startService(folder, engine.env, [], (own) => (pid = own)).then(
        (service) => service.end('SIGKILL').then(() => 'was ready'),
        () => 'was killed',
      )
      while (!existsSync(database)) await pause(1)
      await pause(moment * 5)
      process.kill(pid, 'SIGKILL')
      const wal = `${database}-wal`
      moments.push(`${statSync(database).size} + ${existsSync(wal) ? statSync(wal).size : 0} bytes, ${await starting}`)
      const service = await startService(folder, engine.env)
      const key = await service.makeKey('test')
      const { status } = await service.ask('ada', key)
      if (status !== 200) return { moment, status }
      await service.end()
    }
    return { starts: 12, databaseWhenKilled: moments }
  },

  /** A second service is started on the same folder. */
  async twoServices(engine) {
    const { service, key } = await open(engine)
    const second = await tryStart(engine)
    const first = await service.ask('ada', key)
    await service.end('SIGKILL')
    const third = await tryStart(engine)
    await third.service?.end()
    return { second: second.message, first: first.status, afterKill: third.message }
  },

  /** The process is frozen for fifteen seconds while callers wait. */
  async frozen(engine) {
    const { service, key } = await open(engine)
    await service.ask('ada', key)
    service.signal('SIGSTOP')
    const waiting = Promise.all(Array.from({ length: 50 }, (_, index) => service.ask(`frozen-${index}`, key)))
    await pause(15_000)
    service.signal('SIGCONT')
    const statuses = (await waiting).map(({ status, code }) => (status === 200 ? '200' : `${status} ${code}`))
    const since = performance.now()
    while ((await service.ask('ada', key)).status !== 200) await pause(50)
    const wellAfterMs = Math.round(performance.now() - since)
    await service.end()
    return { waited: counted(statuses), wellAfterMs }
  },

  /** Killed, and then bytes of the write-ahead log are changed on the disk. */
  async corruptedWal(engine) {
    const { service, key } = await open(engine)
    await series(service, key, 'before', 100)
    await service.end('SIGKILL')
    const wal = join(engine.folder, 'vitae.db-wal')
    const size = statSync(wal).size
    overwrite(wal, Math.floor(size / 2))
    const again = await tryStart(engine)
    const spent = again.service ? 100_000 - (await again.service.balance()) : null
    const ledger = again.service ? await verify(again.service) : null
    await again.service?.end()
    return { walBytes: size, said: again.message, spentOf100: spent, ledger }
  },

  /** A page in the middle of the database itself is overwritten. */
  async corruptedDatabase(engine) {
    const { service, key } = await open(engine)
    await series(service, key, 'before', 100)
    await service.end()
    const database = join(engine.folder, 'vitae.db')
    for (let part = 2; part < 8; part++) overwrite(database, Math.floor((statSync(database).size * part) / 8))
    const again = await tryStart(engine)
    const calls = again.service ? await series(again.service, key, 'before', 20) : null
    const doctor = again.service
      ? await again.service.admin<object>('GET', '/doctor').catch((error: unknown) => String(error))
      : null
    const alive = again.service?.isAlive()
    await again.service?.end()
    return { said: again.message, calls, alive, doctor: JSON.stringify(doctor).slice(0, 400) }
  },

  /** Ten thousand idle connections, and calls beside them. */
  async tenThousandConnections(engine) {
    const { service, key } = await open(engine)
    const before = await service.residentMegabytes()
    const sockets: Socket[] = []
    const port = Number(new URL(service.url).port)
    let closed = 0
    for (let index = 0; index < 10_000; index++) {
      const socket = connect(port, '127.0.0.1')
      socket
        .resume()
        .on('error', () => undefined)
        .on('close', () => closed++)
      sockets.push(socket)
      if (index % 200 === 199) await once(socket, 'connect').catch(() => undefined)
    }
    const since = performance.now()
    const calls = await series(service, key, 'beside', 50)
    const ms = Math.round((performance.now() - since) / 50)
    const during = await service.residentMegabytes()
    await pause(12_000)
    const result = { calls: calls.outcomes, msPerCall: ms, megabytes: [before, during], cutAfter12Seconds: closed }
    for (const socket of sockets) socket.destroy()
    await service.end()
    return result
  },

  /** A gigabyte of body, of headers and of path is sent to the service. */
  async giants(engine) {
    const { service } = await open(engine)
    const before = await service.residentMegabytes()
    const heads = {
      path: 'GET /',
      header: 'GET / HTTP/1.1\r\nHost: x\r\nX: ',
      body: 'POST /admin/v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000000000\r\n\r\n"',
      chunks:
        'POST /admin/v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n3b9aca00\r\n"',
    }
    const taken: Record<string, string> = {}
    for (const [name, head] of Object.entries(heads)) taken[name] = await pour(Number(new URL(service.url).port), head)
    const after = await service.residentMegabytes()
    await service.end()
    return { taken, megabytes: [before, after] }
  },
}

/** Sends a head and then filler until the server stops reading. Returns the response and the number of bytes. */
async function pour(port: number, head: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  let gone = false
  socket.on('data', (chunk) => (answer ||= chunk.toString('latin1').split('\r\n', 1)[0] ?? ''))
  socket.on('error', () => (gone = true)).on('close', () => (gone = true))
  socket.write(head)
  const filler = Buffer.alloc(1_048_576, 'a')
  let megabytes = 0
  while (!gone && megabytes < 1_000) {
    if (!socket.write(filler))
      await Promise.race([
        once(socket, 'drain').catch(() => undefined),
        once(socket, 'close').catch(() => undefined),
        pause(12_000),
      ])
    megabytes++
  }
  socket.destroy()
  return `${answer || 'no answer'}, at most ${megabytes} MB taken`
}

function overwrite(path: string, at: number): void {
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(512, 0x5a), 0, 512, at)
  closeSync(file)
}

function counted(values: string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1
  return counts
}

const asked = process.argv.slice(2)
if (asked.includes('--help')) console.log(usage)
else for (const name of asked.length > 0 ? asked : Object.keys(days)) await play(name)

async function play(name: string): Promise<void> {
  const day = days[name]
  if (!day) throw new Error(`there is no ${name}; there are ${Object.keys(days).join(', ')}`)
  const folder = mkdtempSync(join(tmpdir(), 'vitae-bad-day-'))
  mkdirSync(folder, { recursive: true })
  const provider = await startFakeProvider({ provider: 'mirror', generate: true, logLimit: 1 })
  const env = { VITAE_UPSTREAM: 'mirror', VITAE_MIRROR_URL: provider.url, VITAE_MIRROR_KEY: provider.key }
  try {
    console.log(name, JSON.stringify(await day({ folder, provider, env }), null, 1))
  } catch (error) {
    console.log(name, 'broke off:', error)
    process.exitCode = 1
  } finally {
    await provider.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
