import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { DemoKeys } from '../../src/app/demo.ts'
import { readConfig } from '../../src/config/config.ts'
import { ChildService, serveDemo } from '../harness/child-service.ts'

test('a service drains behind a trusted proxy, unless VITAE_DRAIN_SECONDS says otherwise', () => {
  const drainMs = (env: Record<string, string>) => readConfig(env).http.drainMs

  expect(drainMs({})).toBe(0)
  expect(drainMs({ VITAE_TRUST_PROXY: '10.0.0.0/8' })).toBe(5_000)
  expect(drainMs({ VITAE_TRUST_PROXY: '10.0.0.0/8', VITAE_DRAIN_SECONDS: '0' })).toBe(0)
  expect(drainMs({ VITAE_DRAIN_SECONDS: '7' })).toBe(7_000)
})

test('a stopping service reports it at /readyz while it still answers calls and closes their connections', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-drain-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const child = new ChildService(serveDemo, { VITAE_DATA_DIR: join(folder, 'data'), VITAE_DRAIN_SECONDS: '8' })
  onTestFinished(() => void child.process.kill('SIGKILL'))
  const url = await child.url
  const { test_key: ApiKey } = JSON.parse(readFileSync(join(folder, 'data/demo-keys.json'), 'utf8')) as DemoKeys
  const call = () => fetch(`${url}/v1/people/profile?profile_id=ada`, { headers: { ApiKey } })

  const before = await call()
  const ended = child.stop('SIGTERM')
  const ready = await vi.waitFor(
    async () => {
      const answer = await fetch(`${url}/readyz`)
      expect(answer.status).toBe(503)
      return answer
    },
    { timeout: 300_000, interval: 20 },
  )
  const during = await call()

  expect([before.status, before.headers.get('connection')]).toEqual([200, 'keep-alive'])
  expect([during.status, during.headers.get('connection')]).toEqual([200, 'close'])
  expect(await ready.json()).toMatchObject({ status: 'not_ready', checks: { store: 'ok', draining: true } })
  expect((await ended).code).toBe(0)
})
