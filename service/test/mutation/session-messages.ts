import type { MutantCoverage } from '@stryker-mutator/api/core'
import type { TestResult } from '@stryker-mutator/api/test-runner'

/** A run of the tests, against one mutant or against the unchanged code. */
export interface RunRequest {
  mutant?: string
  /** Whether the mutant is active while the code loads, and not only while the tests run. */
  whileLoading?: boolean
  /** The ids of the tests to run; all if absent. */
  tests?: readonly string[]
}

/** The result; with a mutant only up to the first failed test. */
export interface RunReply {
  tests: TestResult[]
  coverage?: MutantCoverage
}

export type ToSession = RunRequest | 'end'
/** A text is the reason why the code or its tests could not be loaded. */
export type FromSession = RunReply | 'ready' | { failed: string }

/** The channel between Stryker's process and the session, which is one of its threads. */
export const channelName = 'mutant-session'
