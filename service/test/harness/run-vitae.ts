import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { TestService } from './test-service.ts'

const vitae = join(import.meta.dirname, '../../../cli/bin/vitae.js')

export interface Ran {
  code: number
  stdout: string
  stderr: string
  /** The output, if it is JSON. */
  json: Record<string, unknown>
}

/** Runs one `vitae` command as an operator would, with only the given environment. */
export async function runVitae(args: readonly string[], env: Record<string, string>): Promise<Ran> {
  const child = spawn(process.execPath, [vitae, ...args], {
    env: { PATH: process.env['PATH'] ?? '', LOG_LEVEL: 'silent', ...env },
    // Not the checkout, which may contain the developer's .env.
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const [code] = (await once(child, 'close')) as [number]
  return { code, stdout, stderr, json: jsonOf(stdout) }
}

/** Some commands print text, or one value per line. */
function jsonOf(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return {}
  }
}

/** The environment that lets a command reach a test's running service. */
export function reaching(service: TestService): Record<string, string> {
  return { VITAE_URL: service.url, VITAE_ADMIN_TOKEN: service.service.admin.ownerToken }
}
