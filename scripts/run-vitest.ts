import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runTool } from './run-tool.ts'

export interface Counts {
  passed: number
  failed: number
  skipped: number
}

interface Report {
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  numTodoTests: number
  testResults: { status: string; assertionResults: unknown[] }[]
}

/** Runs the tests with output on screen, and counts them from vitest's report file. */
export async function runVitest(options: string[]): Promise<Counts> {
  const folder = mkdtempSync(join(quickFolder(), 'vitae-run-'))
  // A test PostgreSQL may run as another user.
  chmodSync(folder, 0o755)
  const file = join(folder, 'report.json')
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
    process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'vitae-compile-cache')
    process.env['TMPDIR'] = folder
    // Commands start from the bundle in a fraction of the time.
    await runTool('node', ['scripts/bundle.js', '--unless-fresh'])
    const exitCode = await runTool('vitest', ['run', ...reporters, ...options])
    return countsOf(readFileSync(file, 'utf8'), exitCode)
  } catch (error) {
    console.error(`vitest wrote no readable report: ${String(error)}`)
    return { passed: 0, failed: 1, skipped: 0 }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const gigabyte = 2 ** 30

/**
 * The folder of the tests' files: in memory if there is plenty. On a disk, their file operations take minutes of CPU
 * time. Copying and dropping a database takes 35 ms in memory vs 60 to 300 ms on a disk.
 */
function quickFolder(): string {
  try {
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.includes(' /dev/shm tmpfs '))
    const { bavail, bsize } = statfsSync('/dev/shm')
    const hasRoom = Math.min(bavail * bsize, process.availableMemory()) > 8 * gigabyte
    if (mount && !mount.includes('noexec') && hasRoom) return '/dev/shm'
  } catch {
    // Not Linux.
  }
  return tmpdir()
}

/**
 * Counts a file that does not load and an error outside any test as failures, though vitest does not count them as
 * tests.
 */
export function countsOf(text: string, errors: number): Counts {
  const report = JSON.parse(text) as Report
  const unloaded = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  ).length
  const failed = report.numFailedTests + unloaded
  return {
    passed: report.numPassedTests,
    failed: errors > 0 && failed === 0 ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
  }
}
