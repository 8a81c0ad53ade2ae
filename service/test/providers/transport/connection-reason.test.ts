import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { deadUrl, faultOf, get, never, serveRaw, transportTo } from './faulty-server.ts'

const hasOpenssl = !spawnSync('openssl', ['version']).error
if (!hasOpenssl) console.warn('NOT RUN: certificates that are wrong, because there is no openssl on this machine.')

const config = `[ca]
default_ca = own
[own]
new_certs_dir = .
database = index.txt
rand_serial = yes
default_md = sha256
policy = any
[any]
commonName = supplied
[extensions]
subjectAltName = DNS:localhost
`

/** A self-signed certificate of `localhost`, valid in one past year or in this century. */
function certificate(valid: { from: string; until: string }): { key: string; cert: string } {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-tls-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'index.txt'), '')
  writeFileSync(join(folder, 'ca.cnf'), config)
  const run = (...args: string[]) => {
    const { status, stderr } = spawnSync('openssl', args, { cwd: folder, encoding: 'utf8' })
    if (status !== 0) throw new Error(stderr)
  }
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  run('req', '-new', ...curve, '-keyout', 'key.pem', '-out', 'request.pem', '-subj', '/CN=localhost')
  const sign = [
    '-batch',
    '-notext',
    '-config',
    'ca.cnf',
    '-selfsign',
    '-keyfile',
    'key.pem',
    '-extensions',
    'extensions',
  ]
  run('ca', ...sign, '-in', 'request.pem', '-out', 'cert.pem', '-startdate', valid.from, '-enddate', valid.until)
  return {
    key: readFileSync(join(folder, 'key.pem'), 'utf8'),
    cert: readFileSync(join(folder, 'cert.pem'), 'utf8'),
  }
}

async function serveTls(pair: { key: string; cert: string }): Promise<number> {
  const server = createServer(pair, (_request, response) => response.end('{}'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

const past = { from: '20200101000000Z', until: '20210101000000Z' }
const present = { from: '20200101000000Z', until: '20990101000000Z' }

test.skipIf(!hasOpenssl).each([
  { wrong: 'an expired one', valid: past, isTrusted: true, host: 'localhost', reason: 'TLS: certificate expired' },
  {
    wrong: 'one that signs itself',
    valid: present,
    isTrusted: false,
    host: 'localhost',
    reason: 'TLS: self-signed certificate',
  },
  {
    wrong: 'one of another host',
    valid: present,
    isTrusted: true,
    host: '127.0.0.1',
    reason: 'TLS: certificate for another host',
  },
])('a provider with a wrong certificate, $wrong, is reported in words', async ({ valid, isTrusted, host, reason }) => {
  const pair = certificate(valid)
  const url = `https://${host}:${await serveTls(pair)}`
  const dispatcher = new Agent({ connect: isTrusted ? { ca: pair.cert } : {} })
  onTestFinished(() => dispatcher.destroy())

  const fault = await faultOf(transportTo(url, { dispatcher })(get(url), never))

  expect(fault).toMatchObject({ kind: 'unavailable', reason })
})

test('a refused, a hung and a closed connection are reported in words, without an address', async () => {
  const dead = await deadUrl()
  const hung = await serveRaw(() => {})
  const closed = await serveRaw((socket) => socket.end())
  const reasonOf = async (url: string, limitMs?: number) => {
    const { reason, message } = await faultOf(transportTo(url)(get(url), never, limitMs))
    expect(`${reason} ${message}`).not.toContain('127.0.0.1')
    return reason
  }

  expect(await reasonOf(dead)).toBe('connection refused')
  expect(await reasonOf(hung.url, 50)).toBe('no answer within 50 ms')
  expect(await reasonOf(closed.url)).toBe('connection closed before the answer was complete')
})
