import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../harness/start-engines.ts'

const files = join(import.meta.dirname, '../../../deploy/proxies')
export const hostName = 'vitae.example.com'

/** The parts that a test changes in a shipped file: its port, its certificate, and the address of Vitae. */
interface Places {
  folder: string
  port: number
  /** The ports of the nodes. */
  backends: readonly number[]
}

/** A proxy with a shipped file, and how to run the real program with it. */
export interface Proxy {
  name: string
  binary: string
  file: string
  config(text: string, places: Places): string
  start(config: string, places: Places): string[]
}

export interface RunningProxy {
  port: number
  /** The certificate that the test's client trusts. */
  ca: Buffer
  /** The program's output at its start. */
  said(): string
  stop(): Promise<void>
}

export const proxies: Proxy[] = [
  {
    name: 'nginx',
    binary: '/usr/sbin/nginx',
    file: 'nginx.conf',
    config: (text, { folder, port, backends }) => `daemon off; worker_processes 1; pid ${folder}/pid;
error_log stderr;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body; fastcgi_temp_path ${folder}/fcgi; uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi; proxy_temp_path ${folder}/proxy;
${swap(text, [
  ['listen 443', `listen 127.0.0.1:${port}`],
  ['server 127.0.0.1:8080 fail', backends.map((one) => `server 127.0.0.1:${one} fail`).join('_timeout=2s; ')],
  [`/etc/letsencrypt/live/${hostName}/fullchain.pem`, `${folder}/cert.pem`],
  [`/etc/letsencrypt/live/${hostName}/privkey.pem`, `${folder}/key.pem`],
])}
}`,
    start: (config, { folder }) => ['-e', 'stderr', '-p', folder, '-c', config],
  },
  {
    name: 'HAProxy',
    binary: '/usr/sbin/haproxy',
    file: 'haproxy.cfg',
    config: (text, { folder, port, backends }) =>
      swap(text, [
        ['bind :443', `bind 127.0.0.1:${port}`],
        ['/etc/haproxy/vitae.pem', `${folder}/both.pem`],
        ...[11, 12, 13].map((node, index): [string, string] => [
          `10.0.0.${node}:8080`,
          `127.0.0.1:${backends[index % backends.length]}`,
        ]),
      ]),
    start: (config) => ['-db', '-f', config],
  },
  {
    name: 'Caddy',
    binary: '/usr/bin/caddy',
    file: 'Caddyfile',
    config: (text, { folder, port, backends }) =>
      `{\n\tadmin off\n\tauto_https off\n}\n${swap(text, [
        [
          `${hostName} {`,
          `https://${hostName}:${port} {\n\tbind 127.0.0.1\n\ttls ${folder}/cert.pem ${folder}/key.pem`,
        ],
        ['127.0.0.1:8080', backends.map((one) => `127.0.0.1:${one}`).join(' ')],
      ])}`,
    start: (config) => ['run', '--adapter', 'caddyfile', '--config', config],
  },
]

/** Replaces each text and fails if it is missing, so that a changed file is not tested wrongly. */
function swap(text: string, changes: [from: string, to: string][]): string {
  return changes.reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`the file does not hold ${from}`)
    return changed.replaceAll(from, to)
  }, text)
}

export const isInstalled = ({ binary }: Proxy) =>
  !spawnSync(binary, ['-v']).error && !spawnSync('openssl', ['version']).error

/** The variant of the file that passes the console. */
export const fileWithConsole = (file: string) => file.replace(/(?=\.|$)/, '-with-console')

/** Starts the real program with our file and a generated certificate, in front of one or more services. */
export async function startProxy(
  proxy: Proxy,
  nodes: string | readonly string[],
  {
    withConsole = false,
    at,
    changes = [],
  }: {
    withConsole?: boolean
    at?: number
    /** Of the file's text, beside the places. */ changes?: [from: string, to: string][]
  } = {},
): Promise<RunningProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-proxy-'))
  // nginx drops root and then needs to write.
  chmodSync(folder, 0o777)
  makeCertificate(folder)
  const backends = [nodes].flat().map((url) => Number(new URL(url).port))
  const places = { folder, port: at ?? (await freePort()), backends }
  const config = join(folder, proxy.file)
  const text = readFileSync(join(files, withConsole ? fileWithConsole(proxy.file) : proxy.file), 'utf8')
  writeFileSync(config, proxy.config(swap(text, changes), places))
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder }
  const child = spawn(proxy.binary, proxy.start(config, places), { stdio: ['ignore', 'pipe', 'pipe'], env })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text))
  const stop = () => stopProxy(child, folder)
  try {
    await listening(places.port, child)
  } catch (error) {
    await stop()
    throw new Error(`${proxy.name} does not start: ${said}`, { cause: error })
  }
  return { port: places.port, ca: readFileSync(join(folder, 'cert.pem')), said: () => said, stop }
}

function makeCertificate(folder: string): void {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const names = ['-subj', `/CN=${hostName}`, '-addext', `subjectAltName=DNS:${hostName}`]
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
  const made = spawnSync('openssl', ['req', '-x509', ...curve, '-nodes', '-keyout', key, '-out', cert, ...names])
  if (made.status !== 0) throw new Error(`openssl: ${made.stderr.toString()}`)
  writeFileSync(join(folder, 'both.pem'), Buffer.concat([readFileSync(cert), readFileSync(key)]))
}

async function listening(port: number, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 600 && child.exitCode === null; attempt++) {
    const socket = connect(port, '127.0.0.1')
    const open = await Promise.race([once(socket, 'connect'), once(socket, 'error')]).then(
      () => socket.readyState === 'open',
      () => false,
    )
    socket.destroy()
    if (open) return
    await pause(50)
  }
  throw new Error(`not ready, exit code ${child.exitCode}`)
}

async function stopProxy(child: ChildProcess, folder: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    const impatient = setTimeout(() => child.kill('SIGKILL'), 5_000)
    await ended
    clearTimeout(impatient)
  }
  rmSync(folder, { recursive: true, force: true })
}
