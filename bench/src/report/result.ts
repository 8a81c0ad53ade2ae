import type { Machine } from '../process/machine.ts'
import type { Spread } from './spread.ts'

/** One row of a result: a contestant, or one of several ways to run it. */
export interface Row {
  name: string
  /** Every measure by its name with unit, over all rounds. */
  measures: Record<string, Spread>
}

/** The ratio of two rows in the same run, computed from adjacent rounds. */
export interface Ratio {
  of: string
  to: string
  measure: string
  value: Spread
}

/** Whether the ledger agrees with the responses. */
export interface BillingCheck {
  name: string
  /** Responses with status 200 that the load generator has read. */
  answers: number
  /** The decrease of the balance during the run. */
  spent: number
  exact: boolean
}

/** A claim, and the measured result. */
export interface Verdict {
  claim: string
  wanted: string
  got: string
  met: boolean
}

/** The findings of a scenario. */
export interface Findings {
  rows: Row[]
  ratios: Ratio[]
  billing: BillingCheck[]
  verdicts: Verdict[]
  /** The measure that a picture shows. */
  shown: string
  notes: string[]
}

/** The findings with everything needed to read and repeat them. */
export interface Result extends Findings {
  scenario: string
  title: string
  command: string
  machine: Machine
  settings: { seconds: number; rounds: number; connections: number; quick: boolean; full: boolean }
}
