import { expect, test } from 'vitest'
import { compileProviderFile } from '../../src/files/index.ts'
import { cutPaths, type ProviderAsk, type WireRequest } from '../../src/index.ts'
import { acme, wren } from './example.ts'

const path = 'acmedata.provider.yaml'
const changed = (from: string, to: string) => () => {
  expect(acme).toContain(from)
  compileProviderFile(path, acme.replace(from, to))
}

test.each([
  ['an alias', 'label: AcmeData', 'label: *a', /anchors and aliases are not allowed/],
  ['an anchor', 'label: AcmeData', 'label: &a AcmeData', /anchors and aliases are not allowed/],
  ['a tag', 'label: AcmeData', 'label: !!str AcmeData', /tags are not allowed/],
  ['a tag of its own', 'label: AcmeData', 'label: !js/function AcmeData', /tag/i],
  ['a prototype', 'label: AcmeData', 'label: AcmeData\n__proto__: { x: 1 }', /__proto__ is not allowed/],
  ['a prototype in a request', 'parts: [jobs, skills]', '__proto__: { x: 1 }', /__proto__ is not allowed/],
  ['plain http', 'https://api.acmedata.example/base', 'http://api.acmedata.example', /begin with https/],
  ['an address of the own network', 'https://api.acmedata.example/base', 'https://127.0.0.1', /one public host/],
  ['a short name', 'https://api.acmedata.example/base', 'https://intranet', /one public host/],
  ['an internal name', 'https://api.acmedata.example/base', 'https://metadata.google.internal', /one public host/],
  ['a host from a variable', 'https://api.acmedata.example/base', 'https://{region}.example', /https|public host/],
  [
    'a user in the address',
    'https://api.acmedata.example/base',
    'https://a:b@acmedata.example',
    /only a host and a path/,
  ],
  ['another host in the path', 'post: /v2/person', 'post: //evil.example/x', /path|host|begins/],
  ['a path that climbs', 'post: /v2/person', 'post: /v2/../admin', /a path begins with/],
  ['a header of the connection', 'x-region: "{region}"', 'host: "{region}"', /must not set the header host/],
  ['a header that breaks the line', 'x-region: "{region}"', 'x-region: "{region}\\r\\nx: y"', /printable ASCII/],
  ['the key in a value', '"{url}"', '"{key}"', /the value \{key\} is not available here/],
  ['a variable of others', 'x-region: "{region}"', 'x-region: "{region}{VITAE_SECRET_KEY}"', /is not available here/],
  ['code', 'summary: about', 'summary: "about | constructor"', /there is no function "constructor"/],
  ['an expression', 'summary: about', 'summary: "about + 1"', /is no path/],
])('%s is refused', (_name, from, to, expected) => {
  expect(changed(from, to)).toThrow(expected)
})

/** The request for an identifier, or the error. */
async function requestFor(text: string, value: string): Promise<WireRequest | Error> {
  let sent: WireRequest | null = null
  const provider = compileProviderFile(path, text).create({ url: 'https://api.acmedata.example', key: 'k' })
  const ask: ProviderAsk = {
    identifier: { kind: 'people', type: 'slug', value },
    ...{ fresh: false, maxAgeDays: 0, idempotencyKey: 'x', signal: new AbortController().signal },
  }
  const asked = provider.ask(ask, async (request) => {
    sent = request
    throw new Error('sent')
  })
  const error = await asked.catch((thrown: unknown) => thrown as Error)
  return sent ?? (error as Error)
}

test('an identifier cannot change other parts of the URL', async () => {
  const inPath = acme.replace('post: /v2/person\n', 'post: /v2/person/{id}\n')
  const values = ['a/b', '../../admin', 'x?y=1', 'x#y', '@evil.example', 'a%2Fb', '..', '.', '%2e%2e', 'ä b']

  for (const value of values) {
    const request = await requestFor(inPath, value)
    if (request instanceof Error) expect(['..', '.']).toContain(value)
    else {
      expect(request.url.origin).toBe('https://api.acmedata.example')
      expect(request.url.search).toBe('')
      const [, , , last = '', ...others] = request.url.pathname.split('/')
      expect(decodeURIComponent(last)).toBe(value)
      expect(others).toEqual([])
    }
  }
})

test('values that must not be stored are cut from the payload, and all other bytes stay', () => {
  const text =
    ' {"big": 1039995589705121900, "person": {"contacts" : [ {"a": "]}\\""} ] ,"name":"x","jobs":[{"colleagues":[1]},{"t":1}]}}\n'

  const { body, removed } = cutPaths(new TextEncoder().encode(text), [
    'person.contacts',
    'person.jobs.*.colleagues',
    'no.such',
  ])

  expect(new TextDecoder().decode(body)).toBe(
    ' {"big": 1039995589705121900, "person": {"contacts" : null ,"name":"x","jobs":[{"colleagues":null},{"t":1}]}}\n',
  )
  expect(removed).toEqual(['person.contacts', 'person.jobs.*.colleagues'])
})

test.each([
  ['a message', 'Invalid API key', 'Invalid API key', []],
  ['half a record', '{"person": {"contacts": [{"na', '', ['person.contacts']],
  ['a record without it', '{"person": {}}', '{"person": {}}', []],
  ['an escaped name', '{"person": {"cont\\u0061cts": 1}}', '{"person": {"cont\\u0061cts": null}}', ['person.contacts']],
  [
    'a repeated name',
    '{"person": {"contacts": 1, "contacts": 2}}',
    '{"person": {"contacts": null, "contacts": null}}',
    ['person.contacts'],
  ],
])('%s keeps none of the values that must not be stored', (_name, text, kept, removed) => {
  const cut = cutPaths(new TextEncoder().encode(text), ['person.contacts'])

  expect({ kept: new TextDecoder().decode(cut.body), removed: cut.removed }).toEqual({ kept, removed })
})

test('values that must not be stored cannot be mapped', () => {
  const text = acme.replace('headline: headline', 'headline: contacts.0.name')
  const provider = compileProviderFile(path, text).create({ url: 'https://api.acmedata.example', key: '' })

  const { record } = provider.project('people', new TextEncoder().encode(JSON.stringify(wren)))

  expect(record).toMatchObject({ headline: null, first_name: 'Wren' })
})
