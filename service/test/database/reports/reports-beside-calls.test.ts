import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { serialize } from 'node:v8'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { ChildService, serveDemo } from '../../harness/child-service.ts'
import { openTestService, startTestService, type TestService } from '../../harness/test-service.ts'
import { watchedReading } from './watched-reading.ts'

async function openService() {
  const watched = watchedReading()
  const service = await openTestService({ reading: watched.reading, credits: 100 })
  expect((await service.person('ada')).status).toBe(200)
  return { service, ...watched }
}

/**
 * For tests that request only the usage. One process makes all their reports, because a new one takes longer than a
 * test.
 */
const { processes, limits, reading } = watchedReading()
let service: TestService
beforeAll(async () => {
  service = await startTestService({ reading, credits: 100 })
  expect((await service.person('ada')).status).toBe(200)
})
afterAll(() => service.close())

/** The idle report process of the shared service. */
async function idleProcess(): Promise<ChildProcess> {
  expect((await report(service, usage)).status).toBe(200)
  const running = processes.at(-1)
  if (!running) throw new Error('no process makes reports')
  return running
}

/** Requests a report as an operator. The answer may be a failure. */
function report(service: TestService, path: string) {
  return service.get(`/admin/v1${path}`, { authorization: `Bearer ${service.service.admin.ownerToken}` })
}

const usage = '/usage?group=key'

test('while a report is frozen every call is answered and paid; its death fails only the report', async () => {
  const idle = await idleProcess()
  const [before, started] = [(await service.balance()).balance, processes.length]
  idle.kill('SIGSTOP')

  let isAnswered = false
  const stuck = report(service, usage).finally(() => (isAnswered = true))
  const waiting = report(service, usage)
  const calls = []
  for (let count = 0; count < 20; count++) calls.push((await service.person('ada')).status)
  const { balance } = await service.balance()

  expect([isAnswered, balance]).toEqual([false, before - 20])
  expect(calls).toEqual(Array(20).fill(200))
  idle.kill('SIGKILL')
  expect(await stuck).toMatchObject({
    status: 503,
    json: { code: 'store_unavailable', detail: expect.stringMatching(/ended before this report was done/) },
  })
  expect((await waiting).status).toBe(200)
  expect((await service.person('ada')).status).toBe(200)
  expect(processes).toHaveLength(started + 1)
})

test('killing an idle report process fails no report', async () => {
  const idle = await idleProcess()
  const started = processes.length
  const ended = once(idle, 'exit')
  idle.kill('SIGKILL')
  await ended

  expect((await report(service, usage)).status).toBe(200)
  expect(processes).toHaveLength(started + 1)
})

test('a report that times out says so and what to request instead; the next one works', async () => {
  const idle = await idleProcess()
  idle.kill('SIGSTOP')

  const before = limits.length
  const late = report(service, usage)
  await expect.poll(() => limits.length).toBeGreaterThan(before)
  limits.at(-1)?.onLate()

  expect(await late).toMatchObject({
    status: 503,
    json: { detail: expect.stringMatching(/longer than 60 s and was stopped. Ask for a shorter period/) },
  })
  expect((await report(service, usage)).status).toBe(200)
})

test("a caller's feed waits neither for operators' reports nor for the ledger check", async () => {
  const { service, processes } = await openService()
  const feed = () => service.get('/v1/events', { ApiKey: service.liveKey })
  expect((await report(service, usage)).status).toBe(200)
  expect((await report(service, '/ledger/verify')).status).toBe(200)
  for (const one of processes) one.kill('SIGSTOP')

  const stuck = [report(service, usage), report(service, '/ledger/verify')]
  expect((await feed()).status).toBe(200)

  for (const one of processes) one.kill('SIGCONT')
  expect((await Promise.all(stuck)).map(({ status }) => status)).toEqual([200, 200])
})

test('a page of the feed is compressed in the report process, and is the same for every caller', async () => {
  const { service, processes } = await openService()
  for (let index = 0; index < 20; index++) {
    const { key } = await service.makeKey({ ceiling: 1 })
    expect((await service.person('ada', '', { ApiKey: key })).status).toBe(200)
  }
  const feed = (coding: string) => service.get('/v1/events', { ApiKey: service.liveKey, 'Accept-Encoding': coding })
  const plain = await feed('identity')
  const replies: number[] = []
  processes.at(-1)?.on('message', (reply) => replies.push(serialize(reply).byteLength))

  const pages = [await feed('gzip'), await feed('zstd')]

  expect(plain.text.length).toBeGreaterThan(2_000)
  expect(pages.map(({ text }) => text)).toEqual([plain.text, plain.text])
  expect(replies).toHaveLength(2)
  expect(Math.max(...replies)).toBeLessThan(plain.text.length / 2)
})

test('a backup is verified beside reports, and is complete', async () => {
  const watched = watchedReading()
  const folder = mkdtempSync(join(tmpdir(), 'vitae-kept-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const service = await openTestService({ reading: watched.reading, env: { VITAE_BACKUP_DIR: folder } })

  const { path } = await service.admin<{ path: string }>('POST', '/backups', {})

  expect(await service.admin('POST', `/backups/${basename(path)}/verify`, {})).toMatchObject({ ok: true, fault: null })
  // For the ledger and for the audit log, of the copy and of its copy.
  expect(watched.processes).toHaveLength(4)
})

test('the ledger check in its own process finds the same as the one in the store', async () => {
  const { service, limits } = await openService()
  expect(await service.admin('GET', '/ledger/verify')).toEqual({ ok: true, entries: 3, differences: [] })

  const store = new DatabaseSync(join(service.folder, 'vitae.db'), { timeout: 300_000 })
  store.exec("update environments set balance = balance + 7 where project = 'acme'")
  store.close()

  expect(await service.admin('GET', '/ledger/verify')).toMatchObject({
    ok: false,
    differences: [{ what: 'balance of acme/production', expected: 99, actual: 106 }],
  })
  expect(limits.map(({ ms }) => ms)).toEqual([600_000, 600_000])
})

const children = (pid: number) => `/proc/${pid}/task/${pid}/children`
const showsChildren = existsSync(children(process.pid))
if (!showsChildren) console.warn('NOT RUN: a stop beside a report, because this system does not list child processes.')

test.skipIf(!showsChildren)('a stopping service does not wait for a report, and leaves no process behind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-stop-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const child = new ChildService(serveDemo, { VITAE_DATA_DIR: folder })
  const url = await child.url
  const authorization = `Bearer ${readFileSync(join(folder, 'admin-token'), 'utf8').trim()}`
  const verify = () => fetch(`${url}/admin/v1/ledger/verify`, { headers: { authorization } })
  expect((await verify()).status).toBe(200)
  const [reader = 0] = readFileSync(children(child.process.pid ?? 0), 'utf8')
    .trim()
    .split(' ')
    .map(Number)
  process.kill(reader, 'SIGSTOP')

  const stuck = verify()
  // The answer to a second request shows that the first one was received.
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  const ended = await child.stop('SIGTERM')

  expect((await stuck).status).toBe(503)
  expect(ended).toMatchObject({ code: 0, signal: null })
  expect(existsSync(`/proc/${reader}`)).toBe(false)
})
