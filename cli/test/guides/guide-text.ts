import { execFile } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../../..')
export const guides = ['README.md', ...globSync('docs/guides/*.md', { cwd: root }).toSorted()]
/** Every page that shows commands. */
export const pages = [
  ...guides,
  ...['CONTRIBUTING.md', 'SECURITY.md', 'docs/recipes/README.md'],
  ...globSync('{client,client-python,provider,bench,deploy,cli}/README.md', { cwd: root }).toSorted(),
]

/** One fenced block of a guide. */
export interface Block {
  language: string
  text: string
  /** The line it starts in. */
  line: number
  /** The reason why it is not run, from a comment above it: `<!-- not run: it never ends -->`. */
  notRun: string | null
}

/** The blocks of a Markdown text in order. A block inside a list loses the indentation of its fence. */
export function blocksOf(markdown: string): Block[] {
  const fence = /^( *)```(\w*)\n([\s\S]*?)^ *```$/gm
  return [...markdown.matchAll(fence)].map((match) => {
    const [, indent = '', language = '', text = ''] = match
    const before = markdown.slice(0, match.index)
    return {
      language,
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      line: before.split('\n').length,
      notRun: /<!-- not run: ([^>]+?) -->\s*$/.exec(before)?.[1] ?? null,
    }
  })
}

export const readBlocks = (guide: string) => blocksOf(readFileSync(join(root, guide), 'utf8'))

/** The commands of a guide that are run, as one script that stops at the first failure. */
export function scriptOf(blocks: readonly Block[]): string {
  const run = blocks.filter(({ language, notRun }) => language === 'sh' && notRun === null)
  return ['set -euo pipefail', ...run.map(({ text, line }) => `: line ${line}\n${text}`)].join('\n')
}

/**
 * A folder of programs that replace those that would use the network, with settings that turn an HTTP failure into a
 * command failure.
 */
export function writePrograms(folder: string): string {
  const programs = join(folder, '.programs')
  mkdirSync(programs)
  // npx itself only resolves the program, slowly.
  writeFileSync(join(programs, 'npx'), `#!/bin/sh\nPATH="$PWD/node_modules/.bin:$PATH" exec "$@"\n`, { mode: 0o755 })
  writeFileSync(join(folder, '.curlrc'), 'fail-with-body\nsilent\nshow-error\n')
  return programs
}

/** Runs a script in bash. On failure the error contains its output, including the commands. */
export function runScript(script: string, options: { cwd: string; env: Record<string, string> }): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile('bash', ['-xc', script], { ...options, maxBuffer: 50_000_000 }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${stderr.slice(-2_000)}\n${stdout.slice(-2_000)}`, { cause: error }))
      else resolve(stdout)
    })
  })
}
