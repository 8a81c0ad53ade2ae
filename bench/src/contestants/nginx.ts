import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Cores } from '../process/cores.ts'
import { freePort } from '../process/free-port.ts'
import { startProcess, untilAnswers, type Started } from '../process/start-process.ts'
import type { Contestant } from './contestant.ts'

// On Debian, /usr/sbin is only in root's path.
const program = ['nginx', '/usr/sbin/nginx'].find((name) => !spawnSync(name, ['-v']).error)
const proxyFile = join(import.meta.dirname, '../../../deploy/proxies/nginx.conf')

interface StartOptions {
  cores: string | null
  folder: string
  key: string
  /** The source of a record that is not cached. */
  origin: string
  say: (text: string) => void
}

/** Starts nginx as a cache in front of an origin, with one worker; null with a warning if it is not installed. */
export async function startNginx({ cores, folder, key, origin, say }: StartOptions): Promise<Contestant | null> {
  const name = 'nginx'
  const started = await launch(name, { cores, folder, say }, (prefix, port) => cacheText(prefix, port, key, origin))
  if (!started) return null
  const { url, server } = started
  await untilAnswers(`${url}/v1/people/profile?profile_id=p0000000`, { ApiKey: key }, server)
  return { name, url, keys: [key], pids: [server.pid], account: null, stop: server.stop }
}

/** The core of a proxy: its own if there are three, otherwise that of the load. */
export function proxyCore({ all, server, load }: Cores): string | null {
  const own = all.find((core) => String(core) !== server && String(core) !== load)
  return own === undefined || server === null ? load : String(own)
}

/**
 * A server behind nginx, configured like our proxy file but without TLS. Its CPU time is that of the server alone. Null
 * with a warning if nginx is not installed.
 */
export async function startBehindNginx(
  behind: Contestant,
  options: Pick<StartOptions, 'cores' | 'folder' | 'say'>,
): Promise<Contestant | null> {
  const name = `${behind.name}, behind nginx`
  const started = await launch(name, options, (_prefix, port) => proxyText(port, new URL(behind.url).host))
  if (!started) return null
  await untilAnswers(`${started.url}/healthz`, {}, started.server)
  return { ...behind, name, url: started.url, stop: started.server.stop }
}

async function launch(
  name: string,
  { cores, folder, say }: Pick<StartOptions, 'cores' | 'folder' | 'say'>,
  servers: (prefix: string, port: number) => string,
): Promise<{ url: string; server: Started } | null> {
  if (program === undefined) {
    say('!! SKIPPED: nginx is missing (Debian package nginx).')
    return null
  }
  const port = await freePort()
  const prefix = join(folder, `nginx-${port}`)
  mkdirSync(prefix)
  const config = join(prefix, 'nginx.conf')
  writeFileSync(config, configText(prefix, servers(prefix, port)))
  const server = startProcess({ name, command: program, args: ['-p', prefix, '-c', config], cores })
  return { url: `http://127.0.0.1:${port}`, server }
}

function configText(prefix: string, servers: string): string {
  return `
daemon off;
worker_processes 1;
pid ${prefix}/nginx.pid;
error_log ${prefix}/error.log warn;
events { worker_connections 4096; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000000;
  open_file_cache max=10000;
  client_body_temp_path ${prefix}/body;
  proxy_temp_path ${prefix}/temp;
  fastcgi_temp_path ${prefix}/fastcgi;
  uwsgi_temp_path ${prefix}/uwsgi;
  scgi_temp_path ${prefix}/scgi;
${servers}
}
`
}

/**
 * A known key, a rate limit per key that is never reached, a cache of the whole response. Nothing is counted or billed.
 */
function cacheText(prefix: string, port: number, key: string, origin: string): string {
  return `
  proxy_cache_path ${prefix}/cache keys_zone=records:64m max_size=4g inactive=1d;
  map $http_apikey $known { default 0; "${key}" 1; }
  limit_req_zone $http_apikey zone=keys:10m rate=1000000r/s;
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / {
      if ($known = 0) { return 401; }
      limit_req zone=keys burst=1000000 nodelay;
      proxy_pass ${origin};
      proxy_cache records;
      proxy_cache_key $request_uri;
      proxy_cache_valid 200 1d;
      proxy_ignore_headers Cache-Control Vary Expires;
    }
  }`
}

/** The connection pool and the forwarding rules from our proxy file. */
function proxyText(port: number, backend: string): string {
  const ours = readFileSync(proxyFile, 'utf8')
  const [pool = ''] = /upstream vitae \{[^}]*\}/.exec(ours) ?? []
  const [location = ''] = /location \/ \{[^}]*\}/.exec(ours) ?? []
  return `
  ${pool.replace(/server [\d.]+:\d+/, `server ${backend}`)}
  server {
    listen 127.0.0.1:${port} backlog=4096;
    ${location}
  }`
}
