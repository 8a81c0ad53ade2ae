import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../process/free-port.ts'
import { startProcess, untilAnswers } from '../process/start-process.ts'
import type { Contestant } from './contestant.ts'
import type { SampleAnswer } from './sample-answer.ts'

interface StartOptions {
  /** The program in `bench/peers/`. */
  program?: 'node-http' | 'raw-socket'
  name?: string
  cores: string | null
  folder: string
  sample: SampleAnswer
  key: string
}

/** Starts a bare server that sends a sample answer and does nothing else. */
export async function startReadyBytes({
  program = 'node-http',
  name = program,
  cores,
  folder,
  sample,
  key,
}: StartOptions): Promise<Contestant> {
  const port = await freePort()
  const file = join(folder, `sample-${port}.json`)
  writeFileSync(file, JSON.stringify(sample))
  const url = `http://127.0.0.1:${port}`
  const args = [join(import.meta.dirname, `../../peers/${program}.ts`), file]
  const env = { PORT: String(port) }
  const server = startProcess({ name, command: process.execPath, args, cores, env })
  await untilAnswers(url, {}, server)
  return { name, url, keys: [key], pids: [server.pid], account: null, stop: server.stop }
}
