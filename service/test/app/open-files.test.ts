import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ChildService, serveDemo } from '../harness/child-service.ts'

const hasLimits = !spawnSync('prlimit', ['--version']).error
if (!hasLimits) console.warn('NOT RUN: a full table of open files, because there is no prlimit on this machine.')

const limit = 1_024
const silentConnections = 1_100

async function startLimited() {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-open-files-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const service = new ChildService(serveDemo, { VITAE_DATA_DIR: folder }, ['prlimit', `--nofile=${limit}:${limit}`])
  onTestFinished(async () => void (await service.stop('SIGKILL')))
  const url = await service.url
  const keys = JSON.parse(readFileSync(join(folder, 'demo-keys.json'), 'utf8')) as { live_key: string }
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const lookup = async () => {
    const request = get(`${url}/v1/people/profile?profile_id=amara-okafor`, {
      agent,
      headers: { ApiKey: keys.live_key },
    })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    response.resume()
    await once(response, 'end')
    return response.statusCode
  }
  return { service, port: Number(new URL(url).port), lookup }
}

/** Opens idle connections. Resolves when each of them is open or refused. */
async function openSilent(port: number, count: number): Promise<{ sockets: Socket[]; refused: () => number }> {
  let refused = 0
  const sockets = await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => undefined).on('close', () => refused++)
      await Promise.race([once(socket, 'connect'), once(socket, 'close')])
      return socket
    }),
  )
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()))
  return { sockets, refused: () => refused }
}

test.skipIf(!hasLimits)(
  'more idle connections than the process may open files are refused and logged once, and callers are still served',
  async () => {
    const { service, port, lookup } = await startLimited()
    expect(await lookup()).toBe(200)

    const { sockets, refused } = await openSilent(port, silentConnections)
    await expect.poll(refused).toBeGreaterThanOrEqual(silentConnections - limit)

    expect(await lookup()).toBe(200)
    for (const socket of sockets) socket.destroy()
    expect(await lookup()).toBe(200)
    const { code, stdout } = await service.stop('SIGTERM')
    expect(code).toBe(0)
    expect(stdout.match(/refused connections/g)).toHaveLength(1)
  },
)

test.skipIf(!hasLimits)(
  'a completely full file table ends neither the service nor the calls of connected callers',
  async () => {
    const { service, port, lookup } = await startLimited()
    expect(await lookup()).toBe(200)

    // Fewer than are already open, so from now on every accept and every open fails.
    const lowered = spawnSync('prlimit', [`--pid=${service.process.pid}`, `--nofile=8:${limit}`])
    expect(lowered.status).toBe(0)
    const { sockets } = await openSilent(port, 20)

    for (let call = 0; call < 20; call++) expect(await lookup()).toBe(200)
    const raised = spawnSync('prlimit', [`--pid=${service.process.pid}`, `--nofile=${limit}:${limit}`])
    expect(raised.status).toBe(0)
    for (const socket of sockets) socket.destroy()
    const { refused } = await openSilent(port, 1)
    expect(refused()).toBe(0)
    expect((await service.stop('SIGTERM')).code).toBe(0)
  },
)
