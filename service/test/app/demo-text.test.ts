import { expect, test } from 'vitest'
import { demoText } from '../../src/app/demo.ts'
import { readConfig } from '../../src/config/config.ts'

const keys = { project: 'demo', environment: 'production', test_key: 'vt_test_a', live_key: 'vt_live_b' }
const textFor = (env: Record<string, string>) =>
  demoText(keys, 'http://127.0.0.1:8080', readConfig(env, { demo: true }).upstream)

test('the demo text labels fictional data, and its lines name records that the live key can get', () => {
  const text = textFor({})

  expect(text).toMatch(/live key +vt_live_b +fictional records/)
  expect(text.match(/ApiKey: vt_live_b/g)).toHaveLength(2)
})

test.each([
  [{ VITAE_UPSTREAM: 'mirror', VITAE_MIRROR_URL: 'https://mirror.example.com', VITAE_MIRROR_KEY: 'k' }, 'mirror'],
  [{ VITAE_DIRECTORY: '/srv/directory' }, 'directory'],
])("with %j the live key uses the operator's own provider, and the lines use the test key", (env, provider) => {
  const text = textFor(env)

  expect(text).toMatch(new RegExp(`live key +vt_live_b +lookups \\(${provider}\\)`))
  expect(text.match(/ApiKey: vt_test_a/g)).toHaveLength(2)
})
