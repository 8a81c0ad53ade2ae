import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ChildService, serveDemo } from '../../harness/child-service.ts'

/** The module's side effects for a slug, besides answering that it knows nobody. */
const strays = {
  rejects: `void Promise.reject(new Error('the payload of Ada'))`,
  'rejects-late': `setTimeout(() => void Promise.reject(new TypeError('late')), 1)`,
  'throws-in-a-timer': `setTimeout(() => { throw new RangeError('late') }, 1)`,
  'throws-in-a-tick': `process.nextTick(() => { throw new Error('tick') })`,
  'throws-at-the-abort': `ask.signal.addEventListener('abort', () => { throw new Error('abort') }); return new Promise(() => {})`,
  'ignores-its-request': `void send({ method: 'GET', url: new URL('http://127.0.0.1:9/'), headers: {} }, ask.signal)`,
}

const code = `
void Promise.reject(new Error('while it loads'))
const plays = { ${Object.entries(strays)
  .map(([slug, play]) => `'${slug}': (ask, send) => { ${play} }`)
  .join(',\n')} }
export const provider = {
  name: 'stray', label: 'Stray', defaultUrl: 'http://127.0.0.1:9',
  create: () => ({
    name: 'stray', supplies: { people: new Set(), companies: new Set() }, projectionVersion: 1,
    async ask(ask, send) {
      await plays[ask.identifier.value]?.(ask, send)
      return { outcome: 'not_found', cost: null, answer: { status: 404, headers: {}, body: new Uint8Array(), receivedAt: Date.now() } }
    },
    project() {},
  }),
}`

test('unhandled failures of a module are counted and logged as its own, and end neither the process nor the call', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-stray-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'stray.mjs')
  writeFileSync(path, code)
  const child = new ChildService(serveDemo, {
    VITAE_DATA_DIR: join(folder, 'data'),
    VITAE_PROVIDER_MODULES: path,
    ...{ VITAE_UPSTREAM: 'stray,directory', VITAE_STRAY_KEY: 'k', VITAE_STRAY_TIMEOUT_MS: '100' },
  })
  onTestFinished(() => void child.stop('SIGKILL'))
  const url = await child.url
  const { live_key: key } = JSON.parse(readFileSync(join(folder, 'data/demo-keys.json'), 'utf8')) as {
    live_key: string
  }
  const ask = async (slug: string) => {
    const answer = await fetch(`${url}/v1/people/profile?profile_id=${slug}`, { headers: { ApiKey: key } })
    return answer.status
  }

  const statuses: number[] = []
  for (const slug of Object.keys(strays)) statuses.push(await ask(slug))
  const counted = await countOf(url, Object.keys(strays).length)
  const known = await ask('sample')
  const { code: exitCode, stdout, stderr } = await child.stop('SIGTERM')

  // The directory knows none of them. The module that waits for its abort might have known that one.
  expect(statuses).toEqual(Object.keys(strays).map((slug) => (slug === 'throws-at-the-abort' ? 504 : 404)))
  expect(counted).toBe(Object.keys(strays).length)
  expect(known).toBeLessThan(500)
  expect(exitCode).toBe(0)
  expect(stderr).toMatch(/module .*stray\.mjs left a failure behind: an Error at stray\.mjs:\d+/)
  expect(stdout).toMatch(/"provider":"stray","cause":"a[^"]*Error at stray\.mjs:\d+"/)
  expect(stdout + stderr).not.toContain('payload of Ada')
})

/** The metric, once it has reached a number: an unhandled failure comes after the answer. */
async function countOf(url: string, atLeast: number): Promise<number> {
  for (;;) {
    const text = await (await fetch(`${url}/metrics`)).text()
    const count = Number(/vitae_provider_stray_failures_total\{provider="stray"\} (\d+)/.exec(text)?.[1] ?? 0)
    if (count >= atLeast) return count
    await new Promise((resolve) => setImmediate(resolve))
  }
}
