import { spawn } from 'node:child_process'
import { expect, onTestFinished, vi } from 'vitest'

/** Runs a command in a shell with a pseudo-terminal, and answers the first question, if any. */
export async function atTerminal(command: string, answer: string, env: Record<string, string>): Promise<string> {
  const { PATH = '' } = process.env
  const shell = `export PATH=${JSON.stringify(PATH)}; ${command}; echo "[ended]"`
  const child = spawn('script', ['-qec', shell, '/dev/null'], {
    cwd: import.meta.dirname,
    env: { PATH, SHELL: '/bin/bash', TERM: 'xterm', ...env },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => {
    const asked = said.includes('(y/N)')
    said += chunk.toString()
    if (!asked && said.includes('(y/N)')) child.stdin.write(`${answer}\n`)
  })
  await vi.waitFor(() => expect(said).toContain('[ended]\r\n'), { timeout: 300_000, interval: 20 })
  return said
}
