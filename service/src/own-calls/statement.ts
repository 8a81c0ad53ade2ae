import type { Statement } from '@vitae/contract'
import type { Caller } from '../accounts/caller.ts'
import { readStatement } from '../credits/statements/read-statement.ts'
import { SingleFlight } from '../foundation/pacing/single-flight.ts'

type Deps = Parameters<typeof readStatement>[0] & {
  /** Resolves once the call log contains every call answered so far. */
  callsWritten(): Promise<void>
}

/**
 * Builds statements of environments. A statement reads much of the call log, so concurrent requests for the same one
 * share it.
 */
export class Statements {
  readonly #deps: Deps
  readonly #flights = new SingleFlight<Statement>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** The operators' statement without provider costs. Test keys get fictional figures. */
  async read(caller: Caller, month: string): Promise<Statement> {
    if (caller.mode === 'test') return sampleStatement(caller, month)
    return this.#flights.join(`${caller.environmentId} ${month}`, () => this.#read(caller, month), null).result
  }

  async #read({ project, environment }: Caller, month: string): Promise<Statement> {
    await this.#deps.callsWritten()
    const { provider_cost: _, ...statement } = await readStatement(this.#deps, { project, environment, month })
    return statement
  }
}

function sampleStatement({ project, environment }: Caller, month: string): Statement {
  const line = { price_line: 'book 0, line 3: people', endpoint: 'people', source: 'live' } as const
  return {
    project,
    environment,
    month,
    in_progress: true,
    opening_balance: 10,
    granted: 100,
    lapsed: 0,
    charged: 3,
    corrected: 1,
    closing_balance: 108,
    lines: [{ ...line, spend_tag: 'sample-campaign', calls: 3, credits: 3 }],
    digest: null,
  }
}
