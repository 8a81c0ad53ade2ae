import type { Machine } from '../process/machine.ts'
import type { Spread } from './spread.ts'

/** One line of a result: a contestant, or one of several ways to run it. */
export interface Row {
  name: string
  /** Every measure by its name with the unit, over all rounds. */
  measures: Record<string, Spread>
}

/** How one row compares with another in the same run: the ratio of the rounds that ran next to each other. */
export interface Ratio {
  of: string
  to: string
  measure: string
  value: Spread
}

/** Whether the ledger agrees with the answers. */
export interface BillingCheck {
  name: string
  /** Answers of status 200 that the load generator has read. */
  answers: number
  /** By how much the balance fell meanwhile. */
  spent: number
  exact: boolean
}

/** What was promised, and what came out. */
export interface Verdict {
  claim: string
  wanted: string
  got: string
  met: boolean
}

/** What a scenario found out. */
export interface Findings {
  rows: Row[]
  ratios: Ratio[]
  billing: BillingCheck[]
  verdicts: Verdict[]
  /** The measure that a picture shows. */
  shown: string
  notes: string[]
}

/** The findings with everything that is needed to read and to repeat them. */
export interface Result extends Findings {
  scenario: string
  title: string
  command: string
  machine: Machine
  settings: { seconds: number; rounds: number; connections: number; quick: boolean; full: boolean }
}
