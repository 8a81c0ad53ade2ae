import { writeFileSync } from 'node:fs'

/**
 * Writes down how many errors happened outside any test. vitest shows them only by its exit code, and the exit hook of
 * a test dependency loses that.
 */
export default class UnhandledReporter {
  onTestRunEnd(_modules: unknown, errors: readonly unknown[]): void {
    const file = process.env['VITAE_TEST_ERRORS']
    if (file) writeFileSync(file, String(errors.length))
  }
}
