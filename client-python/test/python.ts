import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const folder = join(import.meta.dirname, '..')
/** Debian's Python first, because another one in the path may lack httpx. */
const candidates = ['/usr/bin/python3', 'python3']
export const pythonEnv = { ...process.env, PYTHONPATH: join(folder, 'src'), PYTHONDONTWRITEBYTECODE: '1' }

/** A Python with these modules, or null. */
export function findPython(...modules: string[]): string | null {
  const program = modules.map((name) => `import ${name}`).join('\n')
  return candidates.find((python) => spawnSync(python, ['-c', program], { env: pythonEnv }).status === 0) ?? null
}

/** A process that makes calls with the Python client, one after another. */
export class PythonClient {
  readonly #process: ChildProcess
  readonly #lines: AsyncIterator<string>

  constructor(python: string) {
    this.#process = spawn(python, [join(import.meta.dirname, 'run_case.py')], {
      env: pythonEnv,
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    if (!this.#process.stdout) throw new Error('the process has no output')
    this.#lines = createInterface(this.#process.stdout)[Symbol.asyncIterator]()
  }

  async run(call: object): Promise<Record<string, unknown>> {
    this.#process.stdin?.write(`${JSON.stringify(call)}\n`)
    const { value, done } = await this.#lines.next()
    if (done) throw new Error('the Python client ended')
    return JSON.parse(value) as Record<string, unknown>
  }

  close(): void {
    this.#process.stdin?.end()
  }
}
