import { createHash } from 'node:crypto'

const namesAtMost = 1_000
/** A statement of this many values is large: what the server would keep of it for each connection costs more than it saves. */
const valuesAtMost = 1_000

/** PostgreSQL's SQLSTATE for a name that it does not know, and for one that it knows already. */
const strange = new Set(['26000', '42P05'])
const stalePlan = /cached plan must not change result type/

/**
 * Names for statements that are run again and again: PostgreSQL parses and plans a statement once for each connection that
 * knows it by a name. A name is made of the text, so that nobody behind the same pooler means another statement by it.
 */
export class StatementNames {
  readonly #names = new Map<string, string>()
  readonly #onLost: () => void
  #generation = 0
  #isOff = false

  /** `onLost` is called once, when a pooler in between turns out to lose statements: then nothing has a name any more. */
  constructor(onLost: () => void) {
    this.#onLost = onLost
  }

  nameOf(text: string, values: readonly unknown[]): string | undefined {
    if (this.#isOff || values.length > valuesAtMost) return undefined
    const known = this.#names.get(text)
    if (known !== undefined || this.#names.size >= namesAtMost) return known
    const name = createHash('sha1').update(`${this.#generation} ${text}`).digest('hex')
    this.#names.set(text, name)
    return name
  }

  /** The driver does not know what a group has prepared, so that the same text has another name there. */
  nameOfGrouped(text: string, values: readonly unknown[]): string | undefined {
    const name = this.nameOf(text, values)
    return name === undefined ? undefined : `${name}g`
  }

  /** Learns from the error of a statement that had a name. */
  failed(error: unknown): void {
    if (!isNameTrouble(error) || this.#isOff) return
    this.#names.clear()
    // After a change of a table all connections have statements that no longer fit: new names make new ones.
    if (stalePlan.test(error.message)) return void this.#generation++
    this.#isOff = true
    this.#onLost()
  }
}

/** Whether only a statement's name was wrong: nothing was done, and without it or with another one it will be. */
export function isNameTrouble(error: unknown): error is Error {
  if (!(error instanceof Error && 'code' in error)) return false
  return strange.has(String(error.code)) || stalePlan.test(error.message)
}
