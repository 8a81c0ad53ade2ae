import { spawn, type ChildProcess } from 'node:child_process'
import { delimiter, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const bin = join(root, 'node_modules/.bin')
const path = `${bin}${delimiter}${process.env['PATH'] ?? ''}`

/** Runs one of the project's tools at the root with its output on screen. Returns its exit code. */
export function runTool(name: string, options: string[]): Promise<number> {
  const env = { ...process.env, PATH: path }
  return ended(name, spawn(join(bin, name), options, { cwd: root, env, stdio: 'inherit' }))
}

/** Runs a tool on one core beside others. Prints its output in one piece when it ends. */
export async function runToolBeside(name: string, options: string[]): Promise<number> {
  // For tools written in Go: one thread, and less garbage collection.
  const env = { ...process.env, PATH: path, GOMAXPROCS: '1', GOGC: '400' }
  const tool = spawn(join(bin, name), options, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const said: Buffer[] = []
  for (const stream of [tool.stdout, tool.stderr]) stream.on('data', (bytes: Buffer) => said.push(bytes))
  const code = await ended(name, tool)
  process.stdout.write(`\n== ${name} ${options.join(' ')}\n${Buffer.concat(said).toString()}`)
  return code
}

function ended(name: string, tool: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    tool.on('error', (error) => {
      console.error(`${name} could not be started: ${error.message}`)
      resolve(1)
    })
    tool.on('close', (code) => resolve(code ?? 1))
  })
}
