#!/usr/bin/env -S node --max-semi-space-size=4 --heap-growing-percent=50 --
// Plain JavaScript, because it must run on any Node: it finds the pinned one when this one is too old.
// Without `--` Node would take --env-file for its own option, even after the name of this file.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import module, { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { findBundle } from './bundle.js'
import { nameSourceLines } from './source-lines.js'

// From this version on zstd takes the dictionary that records are packed with; earlier ones would ignore it.
const needed = '24.6'

if (isAtLeast(process.versions.node, needed)) {
  endWithLauncher()
  const { directory } = module.enableCompileCache()
  // Threads take it only from here.
  if (directory) process.env.NODE_COMPILE_CACHE = dirname(directory)
  const bundle = findBundle()
  if (bundle) nameSourceLines(new URL('.', bundle).href)
  const { run } = await import(bundle ?? findMain())
  await run(process.argv)
} else {
  const pinned = findPinnedNode()
  if (pinned === null) {
    console.error(
      `vitae needs Node ${needed} or newer, and this is ${process.version}. Run "npm ci" in the checkout, or install Node ${needed}.`,
    )
    process.exit(1)
  }
  // The flags bound the memory (decision 18). They are in the first line of this file and in deploy/ too.
  const startFlags = createRequire(import.meta.url)('./start-flags.json')
  const program = import.meta.filename ?? new URL(import.meta.url).pathname
  // The caller's own flags too, such as --import for tracing; NODE_OPTIONS is in the environment.
  const child = spawn(pinned, [...startFlags, ...process.execArgv, '--', program, ...process.argv.slice(2)], {
    // Nothing is sent over the channel: its end tells the child that this process is gone, however it ended.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    // Less memory (decision 18); a process cannot set it for itself.
    env: { MALLOC_ARENA_MAX: '1', ...process.env },
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)))
}

function isAtLeast(version, least) {
  const [major, minor] = version.split('.').map(Number)
  const [leastMajor, leastMinor] = least.split('.').map(Number)
  return major > leastMajor || (major === leastMajor && minor >= leastMinor)
}

/** Stops this process as a signal would when the one that launched it is gone: nobody could stop it by that one any more. */
function endWithLauncher() {
  if (!process.channel) return
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  process.channel.unref()
}

/** A packed command line is its build; a checkout without a fresh bundle runs its source. */
function findMain() {
  return existsSync(new URL('../src/main.ts', import.meta.url)) ? '../src/main.ts' : '../dist/main.js'
}

function findPinnedNode() {
  const require = createRequire(import.meta.url)
  try {
    return require.resolve(`node-${process.platform}-${process.arch}/bin/node`)
  } catch {
    return null
  }
}
