import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { DemoKeys } from '../../src/app/demo.ts'
import { Gate, goodPerson, ScriptedUpstream } from '../harness/scripted-provider.ts'
import { ChildService, serve, serveDemo, type Ended, type Program } from '../harness/child-service.ts'

const token = 'a-token-for-restart-tests'
let folder = ''
let children: ChildService[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vitae-restart-'))
})
afterEach(async () => {
  await Promise.all(children.map((child) => child.stop('SIGKILL')))
  children = []
  rmSync(folder, { recursive: true, force: true })
})

function start(program: Program, env: Record<string, string> = {}): ChildService {
  const child = new ChildService(program, { VITAE_DATA_DIR: join(folder, 'data'), VITAE_ADMIN_TOKEN: token, ...env })
  children.push(child)
  return child
}

const file = (name: string) => join(folder, 'data', name)
const demoKeys = () => JSON.parse(readFileSync(file('demo-keys.json'), 'utf8')) as DemoKeys
const modeOf = (name: string) => statSync(file(name)).mode & 0o777

function getPerson(url: string, id: string): Promise<Response> {
  return fetch(`${url}/v1/people/profile?profile_id=${id}`, { headers: { ApiKey: demoKeys().live_key } })
}

async function admin(url: string, path: string): Promise<unknown> {
  const answer = await fetch(`${url}/admin/v1${path}`, { headers: { authorization: `Bearer ${token}` } })
  return answer.json()
}

/** An impossible start: exit code 1 and the given lines on standard error, each naming a remedy. */
function expectRefusal(ended: Ended, ...lines: RegExp[]): void {
  const said = ended.stderr.trimEnd().split('\n')
  expect({ code: ended.code, lines: said.length, stdout: ended.stdout }).toEqual({
    code: 1,
    lines: lines.length,
    stdout: '',
  })
  for (const line of lines)
    expect(
      said.some((one) => line.test(one)),
      `${line} in ${ended.stderr}`,
    ).toBe(true)
}

// Scale-out nodes share their store on purpose, and their holds expire by time. Other tests cover that.
describe('one service per data folder', () => {
  test("a killed service restarts at once, and its calls' holds are released", async () => {
    const upstream = await new ScriptedUpstream().start()
    onTestFinished(() => upstream.close())
    const env = { ...upstream.env, VITAE_UPSTREAM: 'mirror', VITAE_MIRROR_KEY: 'any' }
    const gate = new Gate()
    upstream.script = gate.before(goodPerson)
    const first = start(serveDemo, env)
    const url = await first.url
    const cutOff = getPerson(url, 'in-flight').catch(() => null)
    await gate.reached
    const balance = '/credits/balance?project=demo&environment=production'
    expect(await admin(url, balance)).toEqual({ balance: 1_000, held: 1, available: 999 })
    await first.stop('SIGKILL')
    expect(await cutOff).toBeNull()

    upstream.script = goodPerson
    const again = await start(serveDemo, env).url
    expect(await admin(again, balance)).toEqual({ balance: 1_000, held: 0, available: 1_000 })
    expect((await getPerson(again, 'in-flight')).status).toBe(200)
    expect(await admin(again, balance)).toEqual({ balance: 999, held: 0, available: 999 })
  })

  test('a second service on the same folder is refused with one line, and the first continues', async () => {
    const url = await start(serveDemo).url
    expectRefusal(await start(serve).ended, /^VITAE_DATA_DIR .*in use/)
    expect((await getPerson(url, 'amara-okafor')).status).toBe(200)
  })
})

describe('an impossible start explains itself in one line and exits with code 1', () => {
  test('the port is in use', async () => {
    const upstream = await new ScriptedUpstream().start()
    onTestFinished(() => upstream.close())
    const { port } = new URL(upstream.env['VITAE_MIRROR_URL'] ?? '')
    expectRefusal(await start(serve, { PORT: port }).ended, new RegExp(`^PORT ${port} .*in use`))
  })

  test('the data folder cannot be created', async () => {
    writeFileSync(join(folder, 'a-file'), '')
    const { ended } = start(serve, { VITAE_DATA_DIR: join(folder, 'a-file', 'data') })
    expectRefusal(await ended, /^VITAE_DATA_DIR .*a-file/)
  })

  test('the file is not a Vitae store', async () => {
    mkdirSync(join(folder, 'data'))
    writeFileSync(file('vitae.db'), 'this is a letter, not a database'.repeat(100))
    expectRefusal(await start(serve).ended, /vitae\.db cannot be opened: file is not a database/)
  })

  test('PostgreSQL cannot be opened', async () => {
    const DATABASE_URL = 'postgres://vitae:secret@127.0.0.1:1/vitae'
    const { ended } = start(serve, { DATABASE_URL })
    expectRefusal(await ended, /^DATABASE_URL 127\.0\.0\.1:1\/vitae cannot be used: /)
  })

  test('a price that has moved to the price book: the line shows what to set, and nothing is created', async () => {
    const { ended } = start(serve, { VITAE_PRICE_STALE: '2' })
    expectRefusal(await ended, /^VITAE_PRICE_STALE .* the line \{ "source": "stale_fallback", "credits": 2 \} with /)
    expect(existsSync(join(folder, 'data'))).toBe(false)
  })

  test('wrong variables are reported all together, one line each, and nothing is created', async () => {
    const env = {
      PORT: 'eighty',
      LOG_LEVEL: 'loud',
      VITAE_MAX_AGE_CAP_DAYS: '-1',
      VITAE_RATE_LIMIT: '300',
      VITAE_UPSTREAM: 'mirror,oracle',
      VITAE_ADMIN_TOKEN: 'short',
    }
    const ended = await start(serve, env).ended
    expectRefusal(
      ended,
      /^PORT is "eighty", but must be a whole number/,
      /^LOG_LEVEL is "loud", but must be one of/,
      /^VITAE_MAX_AGE_CAP_DAYS is "-1"/,
      /^VITAE_RATE_LIMIT is "300", but must be a rate such as/,
      /^VITAE_UPSTREAM is "oracle"/,
      /^VITAE_MIRROR_URL is not set/,
      /^VITAE_MIRROR_KEY is not set/,
      /^VITAE_ADMIN_TOKEN is set, but must be/,
    )
    expect(ended.stderr).not.toContain('short')
    expect(existsSync(join(folder, 'data'))).toBe(false)
  })
})

describe('start and stop', () => {
  test('SIGTERM finishes the calls in progress with their charge, and exits with code 0', async () => {
    const upstream = await new ScriptedUpstream().start()
    onTestFinished(() => upstream.close())
    const gate = new Gate()
    upstream.script = gate.before(goodPerson)
    const env = { ...upstream.env, VITAE_UPSTREAM: 'mirror', VITAE_MIRROR_KEY: 'any' }
    const child = start(serveDemo, env)
    const call = getPerson(await child.url, 'in-flight')
    await gate.reached
    const ended = child.stop('SIGTERM')
    setImmediate(() => gate.open())

    const answer = await call
    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-credits-charged')).toBe('1')
    expect(await answer.json()).toMatchObject({ public_identifier: 'in-flight' })
    expect((await ended).code).toBe(0)
    expect(existsSync(file('service.json'))).toBe(false)
  })

  test('the demo keys are printed again on the second start, and only the owner can read their file', async () => {
    const first = start(serveDemo)
    const url = await first.url
    expect(JSON.parse(readFileSync(file('service.json'), 'utf8'))).toMatchObject({ url, pid: first.process.pid })
    const { stdout } = await first.stop('SIGTERM')
    const keys = demoKeys()
    for (const key of [keys.test_key, keys.live_key]) expect(stdout).toContain(key)
    for (const name of ['demo-keys.json', 'secret-key']) expect(modeOf(name)).toBe(0o600)

    const second = start(serveDemo)
    await second.url
    expect(demoKeys()).toEqual(keys)
    expect((await second.stop('SIGTERM')).stdout).toContain(keys.live_key)
  })

  test('without --demo no project, key or credit is created, and the admin token is kept in its own file', async () => {
    const child = new ChildService(serve, { VITAE_DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'info' })
    children.push(child)
    const url = await child.url
    const ownToken = readFileSync(file('admin-token'), 'utf8').trim()
    const answer = await fetch(`${url}/admin/v1/keys`, { headers: { authorization: `Bearer ${ownToken}` } })
    expect(await answer.json()).toMatchObject({ keys: [] })
    expect(existsSync(file('demo-keys.json'))).toBe(false)
    expect(modeOf('admin-token')).toBe(0o600)
  })
})
