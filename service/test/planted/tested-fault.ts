import type { Fault } from '../simulation/faults/fault.ts'

/** A planted mistake that a test must notice. */
export interface TestedFault extends Fault {
  /** The test file, below `service/test`. */
  test: string
  /** Part of the titles of the tests that notice it, so that the others need not run. */
  title?: string
}

/** The project in which a test file runs. */
export function projectOf(test: string): 'embedded' | 'scale-out' {
  return test.endsWith('.scale-out.test.ts') ? 'scale-out' : 'embedded'
}
