import { inspect } from 'node:util'
import { afterEach, expect, test, vi } from 'vitest'
import { type ClientOptions, VitaeClient } from '../src/index.ts'
import { refuseBrowser } from '../src/calls/refuse-browser.ts'
import { person } from './people.ts'
import { failed, found, openScriptedServer } from './scripted-server.ts'
import { openClient, rejection, testKey } from './test-client.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})

const good = { apiKey: testKey, baseUrl: 'http://127.0.0.1:8080' }

test.each<[string, Partial<ClientOptions>]>([
  ['apiKey', { apiKey: '' }],
  ['apiKey', { apiKey: `${testKey}\n` }],
  ['apiKey', { apiKey: 7 as unknown as string }],
  ['baseUrl', { baseUrl: 'vitae.example' }],
  ['baseUrl', { baseUrl: 'ftp://vitae.example' }],
  ['baseUrl', { baseUrl: 'https://user:secret@vitae.example' }],
  ['baseUrl', { baseUrl: 'https://vitae.example/?key=1' }],
  ['timeoutMs', { timeoutMs: 0 }],
  ['timeoutMs', { timeoutMs: 2 ** 31 }],
  ['timeoutMs', { timeoutMs: Number.NaN }],
  ['maxRetries', { maxRetries: -1 }],
  ['maxRetries', { maxRetries: 1.5 }],
])('a wrong %s is refused by name, without showing the key', (name, wrong) => {
  let refusal: unknown
  try {
    new VitaeClient({ ...good, ...wrong })
  } catch (error) {
    refusal = error
  }

  expect(refusal).toBeInstanceOf(TypeError)
  expect(String(refusal)).toContain(name)
  expect(String(refusal)).not.toContain(testKey)
})

test('a client without arguments reads the environment, and names what is missing there', async () => {
  vi.stubEnv('VITAE_API_KEY', undefined)
  vi.stubEnv('VITAE_URL', ' ')
  const server = await openScriptedServer(found(person()))

  expect(() => new VitaeClient()).toThrow(/^apiKey is missing: .*new VitaeClient\(\{ apiKey.*VITAE_API_KEY/)
  vi.stubEnv('VITAE_API_KEY', testKey)
  expect(() => new VitaeClient()).toThrow(/^baseUrl is missing: .*VITAE_URL/)
  expect(() => new VitaeClient({ baseUrl: undefined })).toThrow(/^baseUrl is missing/)
  vi.stubEnv('VITAE_URL', server.url)
  expect((await new VitaeClient().people.profile('mira-fictional')).record).toEqual(person())
})

test('a URL object works like its text', async () => {
  const server = await openScriptedServer(found(person()))

  const answer = await openClient(server.url, { baseUrl: new URL(server.url) }).client.people.profile('mira-fictional')

  expect(answer.record).toEqual(person())
})

test('a browser is refused with the reason, for any options', () => {
  vi.stubGlobal('window', {})
  vi.stubGlobal('document', {})

  expect(() => new VitaeClient(good)).toThrow(/read the API key/)
})

test('a browser worker is refused, a server with odd globals is not', () => {
  expect(() => refuseBrowser({ importScripts: () => {} })).toThrow(/browsers/)
  expect(() => refuseBrowser({ importScripts: () => {}, process: {} })).not.toThrow()
  expect(() => refuseBrowser({ window: {} })).not.toThrow()
  expect(() => refuseBrowser()).not.toThrow()
})

test('a logged or serialised client shows no key', () => {
  const client = new VitaeClient(good)

  expect(inspect(client, { depth: 10, showHidden: true }) + JSON.stringify(client)).not.toContain(testKey)
})

test('hooks are notified of each request, response and retry, and never see the key', async () => {
  const heard: [string, object][] = []
  const server = await openScriptedServer(failed('overloaded', { 'Retry-After': '2' }), found(person()))
  const { client } = openClient(server.url, {
    onRequest: (event) => heard.push(['request', event]),
    onResponse: (event) => heard.push(['response', event]),
    onRetry: (event) => heard.push(['retry', event]),
  })

  await client.people.profile('mira-fictional', { idempotencyKey: 'order-7' })

  const url = `${server.url}/v1/people/profile?profile_id=mira-fictional`
  const [first, second] = [1, 2].map((attempt) => ({ attempt, url, idempotencyKey: 'order-7' }))
  expect(heard).toEqual([
    ['request', first],
    ['response', { ...first, status: 503, requestId: 'req-1', durationMs: 0 }],
    ['retry', { ...first, error: expect.objectContaining({ code: 'overloaded' }), delayMs: 2000 }],
    ['request', second],
    ['response', { ...second, status: 200, requestId: 'req-1', durationMs: 0 }],
  ])
  expect(inspect(heard, { depth: 10, showHidden: true })).not.toContain(testKey)
})

test('a failing hook does not lose the answer', async () => {
  const server = await openScriptedServer(found(person()))
  const { client } = openClient(server.url, {
    onRequest: () => {
      throw new Error('no disk')
    },
    onResponse: async () => {
      throw new Error('no disk')
    },
  })

  expect((await client.people.profile('mira-fictional')).record).toEqual(person())
})

test('a fetch error that contains the request does not reveal the key', async () => {
  const { client } = openClient('http://127.0.0.1:8080', {
    maxRetries: 0,
    fetch: async (_url, init) => {
      throw Object.assign(new Error(`could not send ${init.headers.ApiKey}`), { init })
    },
  })

  const error = await rejection(client.people.profile('mira-fictional'))

  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(testKey)
  expect(error).toMatchObject({ detail: 'could not send [key]' })
})
