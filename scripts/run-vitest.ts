import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
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

/** Runs the tests on screen, and counts them from the report that vitest writes beside. */
export async function runVitest(options: string[]): Promise<Counts> {
  const folder = mkdtempSync(join(tmpdir(), 'vitae-test-'))
  const file = join(folder, 'report.json')
  try {
    const own = join(import.meta.dirname, 'unhandled-reporter.ts')
    const reporters = ['--reporter=default', '--reporter=json', `--reporter=${own}`, `--outputFile.json=${file}`]
    const errorsFile = join(folder, 'errors')
    process.env['VITAE_TEST_ERRORS'] = errorsFile
    // Services and their threads start from the bundle in a fraction of the time.
    await runTool('node', ['scripts/bundle.js', '--unless-fresh'])
    const exitCode = await runTool('vitest', ['run', ...reporters, ...options])
    return countsOf(readFileSync(file, 'utf8'), exitCode + Number(readFileSync(errorsFile, 'utf8')))
  } catch (error) {
    console.error(`vitest left no report that could be read: ${String(error)}`)
    return { passed: 0, failed: 1, skipped: 0 }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A file that does not load, and an error outside any test, are failures too, though vitest counts neither as a test. */
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
