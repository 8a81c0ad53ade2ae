import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../process/free-port.ts'
import { startProcess, untilAnswers } from '../process/start-process.ts'
import type { Contestant } from './contestant.ts'

// Debian keeps it where only root's path leads.
const program = ['nginx', '/usr/sbin/nginx'].find((name) => !spawnSync(name, ['-v']).error)

interface StartOptions {
  cores: string | null
  folder: string
  key: string
  /** Where a record that is not cached comes from. */
  origin: string
  say: (text: string) => void
}

/** Starts nginx as a cache in front of an origin, with one worker; null, and a warning, where it is not installed. */
export async function startNginx({ cores, folder, key, origin, say }: StartOptions): Promise<Contestant | null> {
  if (program === undefined) {
    say('!! SKIPPED: nginx is missing (Debian package nginx).')
    return null
  }
  const port = await freePort()
  const prefix = join(folder, `nginx-${port}`)
  mkdirSync(prefix)
  const config = join(prefix, 'nginx.conf')
  writeFileSync(config, configText(prefix, port, key, origin))
  const server = startProcess({ name: 'nginx', command: program, args: ['-p', prefix, '-c', config], cores })
  const url = `http://127.0.0.1:${port}`
  await untilAnswers(`${url}/v1/people/profile?profile_id=p0000000`, { ApiKey: key }, server)
  return { name: 'nginx', url, keys: [key], pids: [server.pid], account: null, stop: server.stop }
}

/** A known key, a rate limit per key that nobody reaches, a cache of the whole answer. Nothing is counted or billed. */
function configText(prefix: string, port: number, key: string, origin: string): string {
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
  }
}
`
}
