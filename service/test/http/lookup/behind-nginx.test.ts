import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../harness/start-engines.ts'
import { startTestService, type TestService } from '../../harness/test-service.ts'
import { seenByNode } from './conversation.ts'

const program = ['nginx', '/usr/sbin/nginx'].find((name) => !spawnSync(name, ['-v']).error)
if (!program) console.warn('NOT RUN: tests behind nginx, because there is no nginx on this machine')
const person = '/v1/people/profile?profile_id=ada'

/** The forwarding of our proxy file, without TLS. */
function config(folder: string, port: number, backend: number): string {
  const ours = readFileSync(join(import.meta.dirname, '../../../../deploy/proxies/nginx.conf'), 'utf8')
  const [pool = ''] = /upstream vitae \{[^}]*\}/.exec(ours) ?? []
  const [location = ''] = /location \/ \{[^}]*\}/.exec(ours) ?? []
  return `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/errors;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body; fastcgi_temp_path ${folder}/fcgi; uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi; proxy_temp_path ${folder}/proxy;
  ${pool.replace(/server [\d.]+:\d+/, `server 127.0.0.1:${backend}`)}
  server { listen 127.0.0.1:${port}; ${location} }
}`
}

// In this order, because a connection with a large upload stays with Node's server until it ends.
describe.runIf(program)('behind nginx with a connection pool, trusted as in our guide', { shuffle: false }, () => {
  let service: TestService
  let nginx: ChildProcess
  let port = 0
  const folder = mkdtempSync(join(tmpdir(), 'vitae-nginx-'))

  /** A call from a loopback address. */
  async function call(from: string, path: string, headers: Record<string, string>, method = 'GET', body = '') {
    const asked = request({ host: '127.0.0.1', port, path, method, headers, localAddress: from, agent: false })
    asked.end(body)
    const [answer] = await once(asked, 'response')
    return { status: answer.statusCode as number, text: await readAll(answer) }
  }

  beforeAll(async () => {
    service = await startTestService({
      env: { VITAE_TRUST_PROXY: '127.0.0.1', VITAE_UNAUTHORIZED_RATE: '3/60s' },
    })
    port = await freePort()
    // nginx drops root and then needs to write.
    chmodSync(folder, 0o777)
    writeFileSync(join(folder, 'config'), config(folder, port, Number(new URL(service.url).port)))
    nginx = spawn(program ?? '', ['-p', folder, '-c', join(folder, 'config')], { stdio: 'ignore' })
    for (let attempt = 0; attempt < 300 && nginx.exitCode === null; attempt++) {
      if ((await call('127.0.0.1', '/healthz', {}).catch(() => null))?.status === 200) return
      await pause(50)
    }
    throw new Error(`nginx does not answer: ${readFileSync(join(folder, 'errors'), 'utf8')}`)
  })
  afterAll(async () => {
    // A killed master would leave its workers running.
    nginx.kill('SIGTERM')
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('lookups take the fast path, even after requests that do not', async () => {
    const { key } = await service.makeKey({ mode: 'test' })
    const seen = seenByNode(Number(new URL(service.url).port))
    const statuses: number[] = []
    for (let turn = 0; turn < 3; turn++) {
      statuses.push((await call('127.0.0.1', person, { ApiKey: key })).status)
      statuses.push((await call('127.0.0.1', person, { ApiKey: service.liveKey })).status)
      statuses.push((await call('127.0.0.1', '/wp-login.php', {})).status)
      statuses.push((await call('127.0.0.1', '/wp-login.php', {}, 'POST', 'user=admin')).status)
    }

    expect(statuses).toEqual([200, 200, 404, 404, 200, 200, 404, 404, 200, 200, 404, 404])
    expect(seen).toEqual([])
  })

  test('the address that counts is the one that nginx saw, whatever a caller claims', async () => {
    const { key } = await service.makeKey({ mode: 'test', networks: ['127.0.0.9'] })
    const seen = seenByNode(Number(new URL(service.url).port))

    expect((await call('127.0.0.9', person, { ApiKey: key })).status).toBe(200)
    expect(await call('127.0.0.8', person, { ApiKey: key })).toEqual({ status: 403, text: 'address_not_allowed' })
    expect((await call('127.0.0.8', person, { ApiKey: key, 'X-Forwarded-For': '127.0.0.9' })).status).toBe(403)
    expect(seen).toEqual([])
  })

  test("refused uploads of one tenant leave the pool's connections to the others", async () => {
    const { key } = await service.makeKey({ mode: 'test' })
    const upload = { ApiKey: key, 'Content-Type': 'application/json', 'Content-Length': '400000' }
    const refused = await Promise.all(
      Array.from({ length: 9 }, () => call('127.0.0.1', '/v1/batches', upload, 'POST', '['.padEnd(400_000, '1,'))),
    )
    const others = await Promise.all(
      Array.from({ length: 16 }, () => call('127.0.0.1', person, { ApiKey: service.liveKey })),
    )

    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([400]))
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set([200]))
  })

  test('callers are counted by their own address', async () => {
    const statuses: number[] = []
    for (const from of ['127.0.0.7', '127.0.0.7', '127.0.0.7', '127.0.0.7', '127.0.0.6'])
      statuses.push((await call(from, person, { ApiKey: 'x' })).status)

    expect(statuses).toEqual([401, 401, 401, 429, 401])
  })
})
