import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../harness/start-engines.ts'

/** A caching proxy of an operator: it caches eagerly, without settings about keys. */
export interface Cache {
  name: string
  binary: string
  isInstalled(): boolean
  config(places: Places): string
  start(places: Places): string[]
}

interface Places {
  folder: string
  config: string
  port: number
  backend: number
}

export interface RunningCache {
  url: string
  /** How often a cacheable page was requested behind the cache. */
  hits(): number
  stop(): Promise<void>
}

const there =
  (binary: string, ...version: string[]) =>
  () =>
    !spawnSync(binary, version).error

export const caches: Cache[] = [
  {
    name: 'Varnish',
    binary: 'varnishd',
    isInstalled: there('/usr/sbin/varnishd', '-V'),
    config: ({ backend }) => `vcl 4.1;\nbackend default { .host = "127.0.0.1"; .port = "${backend}"; }\n`,
    start: ({ folder, config, port }) => [
      ...['/usr/sbin/varnishd', '-F', '-n', join(folder, 'work'), '-a', `127.0.0.1:${port}`, '-f', config],
      ...['-s', 'malloc,16m', '-j', 'none', '-T', 'none'],
    ],
  },
  {
    name: 'nginx',
    binary: 'nginx',
    isInstalled: there('/usr/sbin/nginx', '-v'),
    config: ({
      folder,
      port,
      backend,
    }) => `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/errors;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body; fastcgi_temp_path ${folder}/fcgi; uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi; proxy_temp_path ${folder}/proxy;
  proxy_cache_path ${folder}/cache keys_zone=all:1m;
  server { listen 127.0.0.1:${port}; location / { proxy_pass http://127.0.0.1:${backend}; proxy_cache all; proxy_cache_valid any 1m; } }
}`,
    start: ({ folder, config }) => ['/usr/sbin/nginx', '-p', folder, '-c', config],
  },
  {
    name: 'HAProxy',
    binary: 'haproxy',
    isInstalled: there('/usr/sbin/haproxy', '-v'),
    config: ({ port, backend }) => `defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
cache all
  total-max-size 4
  max-age 60
frontend front
  bind 127.0.0.1:${port}
  default_backend back
backend back
  http-request cache-use all
  http-response cache-store all
  server one 127.0.0.1:${backend}
`,
    start: ({ config }) => ['/usr/sbin/haproxy', '-db', '-f', config],
  },
  {
    name: 'Squid',
    binary: 'squid',
    isInstalled: there('/usr/sbin/squid', '-v'),
    config: ({ folder, port, backend }) => `http_port 127.0.0.1:${port} accel defaultsite=vitae.example no-vhost
cache_peer 127.0.0.1 parent ${backend} 0 no-query originserver name=vitae
http_access allow all
cache_mem 8 MB
refresh_pattern . 5 100% 10
pid_filename ${folder}/squid.pid
access_log none
cache_log ${folder}/cache.log
coredump_dir ${folder}
shutdown_lifetime 0 seconds
workers 1
pinger_enable off
`,
    start: ({ config }) => ['/usr/sbin/squid', '-N', '-n', `vitae${process.pid}`, '-f', config],
  },
]

/** Starts a cache in front of a service, with a cacheable page of ours in between. */
export async function startCache(cache: Cache, serviceUrl: string): Promise<RunningCache> {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-cache-'))
  mkdirSync(join(folder, 'cache'))
  // These programs drop root and then need to write.
  for (const path of [folder, join(folder, 'cache')]) chmodSync(path, 0o777)
  const counter = { hits: 0 }
  const backend = await startBackend(serviceUrl, counter)
  const port = await freePort()
  const places = { folder, config: join(folder, 'config'), port, backend: (backend.address() as AddressInfo).port }
  writeFileSync(places.config, cache.config(places))
  const [program = '', ...options] = cache.start(places)
  const child = spawn(program, options, { stdio: ['ignore', 'ignore', 'pipe'] })
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text))
  const url = `http://127.0.0.1:${port}`
  const stop = () => stopAll(child, backend, folder)
  try {
    await answering(url, child)
  } catch (error) {
    await stop()
    throw new Error(`${cache.name} does not answer: ${complaint}`, { cause: error })
  }
  return { url, hits: () => counter.hits, stop }
}

/** Forwards everything to the service except `/kept`, which it answers itself and which may be cached for a minute. */
async function startBackend(serviceUrl: string, counter: { hits: number }): Promise<Server> {
  const server = createServer((incoming, outgoing) => {
    if (incoming.url === '/kept') {
      counter.hits++
      outgoing.writeHead(200, { 'Cache-Control': 'public, max-age=60', 'Content-Length': 4 }).end('kept')
      return
    }
    const onward = request(
      `${serviceUrl}${incoming.url}`,
      { headers: incoming.headers, method: incoming.method },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.rawHeaders)
        answer.pipe(outgoing)
      },
    )
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

async function answering(url: string, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 300 && child.exitCode === null; attempt++) {
    const answer = await fetch(`${url}/healthz`).catch(() => null)
    if (answer?.ok) return
    await pause(100)
  }
  throw new Error(`not ready, exit code ${child.exitCode}`)
}

async function stopAll(child: ChildProcess, backend: Server, folder: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    const impatient = setTimeout(() => child.kill('SIGKILL'), 5_000)
    await ended
    clearTimeout(impatient)
  }
  backend.closeAllConnections()
  backend.close()
  rmSync(folder, { recursive: true, force: true })
}
