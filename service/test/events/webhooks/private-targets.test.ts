import { lookup } from 'node:dns/promises'
import { createServer } from 'node:https'
import { isIP } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { post } from '../../../src/events/webhooks/delivery/post.ts'
import type { Resolve } from '../../../src/events/webhooks/delivery/resolve-target.ts'
import { isPublicAddress, targetRules } from '../../../src/events/webhooks/delivery/target-addresses.ts'
import { hostileUrls } from '../../corpora/corpora.ts'
import { Receiver } from './webhook-fixture.ts'

/** Every kind of non-public address, and every known notation of some of them. */
const privateHosts = [
  ...['127.0.0.1', '127.8.8.8', '127.1', '2130706433', '0x7f.1', '0x7f000001', '017700000001', '0', '0.0.0.0'],
  ...['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '169.254.169.254', '0xA9FEA9FE', '169.254.0.1'],
  ...['100.64.0.1', '100.100.100.200', '192.0.0.192', '192.0.2.1', '198.18.0.1', '198.51.100.7', '203.0.113.9'],
  ...['168.63.129.16', '192.88.99.1', '224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255'],
  ...[
    '[::]',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::ffff:a9fe:a9fe]',
    '[::127.0.0.1]',
  ],
  ...['[64:ff9b::7f00:1]', '[64:ff9b:1::a00:1]', '[2002:7f00:1::]', '[2001:0:7f00:1::]', '[2001:db8::1]', '[fe80::1]'],
  ...[
    '[fec0::1]',
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[ff02::1]',
    '[100::1]',
    '[5f00::1]',
    '[3fff::1]',
    '[::ffff:0:7f00:1]',
  ],
  ...['１２７.０.０.１', '127。0。0。1', '①②⑦.0.0.1', '127.0.0.1.', '0177.0.0.1'],
]

const receiver = new Receiver()
let port = ''
beforeAll(async () => {
  port = new URL(await receiver.listen()).port
})
afterAll(() => receiver.close())
beforeEach(() => {
  receiver.requests.splice(0)
  receiver.respond = (response) => response.end('thanks')
})

const message = { headers: {}, body: '{}' }
const noNetworks = targetRules([])
const nowhere: Resolve = async () => []

test.each(privateHosts)('nothing is sent to https://%s', async (host) => {
  const deps = { rules: noNetworks, resolve: nowhere }

  const results = await Promise.all(
    ['https', 'http'].map((scheme) => post(deps, { ...message, url: `${scheme}://${host}:${port}/hook` })),
  )

  expect(results.map(({ outcome }) => outcome)).toEqual(['refused', 'refused'])
  expect(receiver.requests).toEqual([])
})

test('no URL of the corpora reaches a non-public address', async () => {
  const asked: string[] = []
  const resolve: Resolve = async (name) => {
    asked.push(name)
    return ['127.0.0.1']
  }
  const urls = hostileUrls().filter((url) => URL.canParse(url))

  for (const url of urls) {
    const host = new URL(url).hostname.replace(/^\[(.+)\]$/, '$1')
    // Public addresses would be connected to.
    if (isIP(host) !== 0 && isPublicAddress(host)) continue
    const { outcome, status } = await post({ rules: noNetworks, resolve }, { ...message, url })
    expect({ url, outcome, status }).toEqual({ url, outcome: 'refused', status: null })
  }

  expect(asked.length).toBeGreaterThan(20)
  expect(receiver.requests).toEqual([])
})

test('a name is not resolved again after the check: the connection goes to the checked address', async () => {
  const answers: string[][] = []
  const resolve: Resolve = async () => {
    const answer = answers.length === 0 ? ['127.0.0.2', '127.0.0.1'] : ['127.0.0.1']
    answers.push(answer)
    return answer
  }
  // Only this address is allowed, and nothing listens there; the receiver is at the other one.
  const rules = targetRules(['127.0.0.2/32'])

  const result = await post({ rules, resolve }, { ...message, url: `http://rebinding.example:${port}/` })

  expect(result.status).toBeNull()
  expect(answers.length).toBe(1)
  expect(receiver.requests).toEqual([])
})

test('a name with a checked address is reached under its own name, whatever the system would resolve', async () => {
  const deps = { rules: targetRules(['127.0.0.1/32']), resolve: async () => ['127.0.0.1', '10.0.0.1'] }

  const result = await post(deps, { ...message, url: `http://hooks.example.com:${port}/path?x=1` })

  expect(result).toEqual({ outcome: 'delivered', status: 200, answer: 'thanks' })
  const [request] = receiver.requests
  expect([request?.headers.host, request?.path]).toEqual([`hooks.example.com:${port}`, '/path?x=1'])
})

test('the same with TLS: the certificate is requested and checked for the name', async () => {
  const names: (string | false | null)[] = []
  const server = createServer({
    SNICallback: (name, done) => {
      names.push(name)
      done(null)
    },
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  const url = `https://hooks.example.com:${typeof address === 'object' ? address?.port : ''}/`

  const result = await post(
    { rules: targetRules(['127.0.0.0/8']), resolve: async () => ['127.0.0.1'] },
    { ...message, url },
  )

  expect(result).toMatchObject({ outcome: 'failed', status: null })
  expect(names).toEqual(['hooks.example.com'])
  await new Promise((resolve) => server.close(resolve))
})

test('a listed network is allowed for http: and https:, and no other', () => {
  const rules = targetRules(['10.1.0.0/16', 'fd00:1::/64'])

  expect(['10.1.2.3', 'fd00:1::5'].map((address) => rules.allows(address, 'http:'))).toEqual([true, true])
  expect(['10.2.0.1', 'fd00:2::5', '127.0.0.1'].map((address) => rules.allows(address, 'https:'))).toEqual([
    false,
    false,
    false,
  ])
  expect([rules.allows('93.184.215.14', 'https:'), rules.allows('93.184.215.14', 'http:')]).toEqual([true, false])
})

test('an IPv4 address inside any IPv6 form is never public', () => {
  const prefixes = ['::ffff:', '::', '64:ff9b::', '64:ff9b:1::', '2002:', '2001:0:']
  fc.assert(
    fc.property(fc.ipV4(), fc.constantFrom(...prefixes), (address, prefix) => {
      const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
      const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
      const text = prefix.startsWith('200') ? `${prefix}${hex}::` : `${prefix}${hex}`
      expect(isPublicAddress(text)).toBe(false)
    }),
  )
})

test('a redirect is not followed, and counts as a failure', async () => {
  receiver.respond = (response) => response.writeHead(302, { location: `http://127.0.0.1:${port}/elsewhere` }).end()

  const result = await post(
    { rules: targetRules(['127.0.0.0/8']), resolve: nowhere },
    { ...message, url: `http://127.0.0.1:${port}/` },
  )

  expect(result).toMatchObject({ outcome: 'failed', status: 302 })
  expect(receiver.requests.map(({ path }) => path)).toEqual(['/'])
})

test('of an answer the log gets text that every database can store', async () => {
  const deps = { rules: targetRules(['127.0.0.1/32']), resolve: async () => ['127.0.0.1'] }
  // The last character that is kept is one half of a pair.
  receiver.respond = (response) => response.end(`\0${'x'.repeat(1_999)}\u{1F600}`)

  const { outcome, answer } = await post(deps, { ...message, url: `http://hooks.example.com:${port}/` })

  expect([outcome, answer]).toEqual(['delivered', `${'x'.repeat(1_999)}\uFFFD`])
})

test('of an endless response 64 kB are read, and the delivery counts', async () => {
  let written = 0
  receiver.respond = (response) => {
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(16_384))) written += 16_384
    }
    response.on('drain', more)
    more()
  }

  const result = await post(
    { rules: targetRules(['127.0.0.0/8']), resolve: nowhere },
    { ...message, url: `http://127.0.0.1:${port}/` },
  )

  expect(result).toMatchObject({ outcome: 'delivered', status: 200, answer: 'x'.repeat(2_000) })
  expect(written).toBeLessThan(64 * 1_048_576)
})

// The kernel refuses TCP connections to this address at once on every machine, like a missing route.
test.each(['http', 'https'])(
  'a connection by %s that fails at once is a failed delivery, and ends nothing',
  async (scheme) => {
    const address = '224.0.0.1'
    const deps = { rules: targetRules([`${address}/32`]), resolve: async () => [address] }

    const result = await post(deps, { ...message, url: `${scheme}://hooks.example.com/` })

    expect(result).toEqual({ outcome: 'failed', status: null, answer: expect.stringContaining('ENETUNREACH') })
  },
)

test('localhost reaches nothing through the system’s own names', async () => {
  const resolve: Resolve = async (name) => (await lookup(name, { all: true })).map(({ address }) => address)

  const result = await post({ rules: noNetworks, resolve }, { ...message, url: `https://localhost:${port}/` })

  expect(result).toMatchObject({ outcome: 'refused', status: null })
})
