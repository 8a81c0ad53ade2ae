import type { MutantCoverage } from '@stryker-mutator/api/core'
import type { TestResult } from '@stryker-mutator/api/test-runner'

/** A run of the tests, against one mutant or against the code as it is. */
export interface RunRequest {
  mutant?: string
  /** Whether the mutant is there while the code is loaded already, and not only while the tests run. */
  whileLoading?: boolean
  /** The ids of the tests to run; all where none are given. */
  tests?: readonly string[]
}

/** What became of it; with a mutant only up to the first test that failed. */
export interface RunReply {
  tests: TestResult[]
  coverage?: MutantCoverage
}

export type ToSession = RunRequest | 'end'
/** A text says why the code or its tests could not be loaded. */
export type FromSession = RunReply | 'ready' | { failed: string }

/** Where Stryker's process and the session, which is a thread of it, meet. */
export const channelName = 'mutant-session'
