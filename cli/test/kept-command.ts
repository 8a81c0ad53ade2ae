/** The process behind `vitae`: runs one command line after another, with its own environment, folder and streams. */
import { Readable, Writable } from 'node:stream'
import { findBundle } from '../bin/bundle.js'
import type { Ended } from './vitae.ts'

const { run } = (await import(findBundle() ?? '../src/main.ts')) as {
  run(argv: readonly string[]): Promise<void>
}

export interface Asked {
  args: readonly string[]
  env: Record<string, string | undefined>
  input: string
  cwd: string
}

/** A stream that keeps what is written to it. */
class Kept extends Writable {
  #text = ''

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#text += chunk.toString('latin1')
    done()
  }

  /** Decoded at the end, because a character may have come in two pieces. */
  get text(): string {
    return Buffer.from(this.#text, 'latin1').toString()
  }
}

process.on('message', ({ args, env, input, cwd }: Asked) => {
  const [stdout, stderr] = [new Kept(), new Kept()]
  const streams = { stdin: Readable.from([Buffer.from(input)]), stdout, stderr }
  for (const [name, value] of Object.entries(streams)) Object.defineProperty(process, name, { value })
  process.env = env
  process.exitCode = undefined
  process.chdir(cwd)
  void run([process.execPath, 'vitae', ...args]).then(() => {
    const ended: Omit<Ended, 'json'> = { code: Number(process.exitCode ?? 0), stdout: stdout.text, stderr: stderr.text }
    process.exitCode = undefined
    process.send?.(ended)
  })
})
