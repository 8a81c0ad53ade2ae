import { spawn } from 'node:child_process'
import { delimiter, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const bin = join(root, 'node_modules/.bin')

/** Runs one of the project's own tools at the root, its output streaming through; gives its exit code. */
export function runTool(name: string, options: string[]): Promise<number> {
  return new Promise((resolve) => {
    const env = { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}` }
    const tool = spawn(join(bin, name), options, { cwd: root, env, stdio: 'inherit' })
    tool.on('error', (error) => {
      console.error(`${name} could not be started: ${error.message}`)
      resolve(1)
    })
    tool.on('exit', (code) => resolve(code ?? 1))
  })
}
