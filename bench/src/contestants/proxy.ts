import { join } from 'node:path'
import { freePort } from '../process/free-port.ts'
import { startProcess, untilAnswers } from '../process/start-process.ts'
import type { Contestant } from './contestant.ts'

const script = join(import.meta.dirname, '../../peers/proxy.ts')

interface StartOptions {
  cores: string | null
  provider: { url: string; key: string }
}

/** Starts the bare proxy in front of a provider. */
export async function startProxy({ cores, provider }: StartOptions): Promise<Contestant> {
  const name = 'bare proxy'
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const args = [script, provider.url]
  const server = startProcess({ name, command: process.execPath, args, cores, env: { PORT: String(port) } })
  await untilAnswers(`${url}/v1/people/profile?profile_id=first`, { ApiKey: provider.key }, server)
  return { name, url, keys: [provider.key], pids: [server.pid], account: null, stop: server.stop }
}
