import { createHash } from 'node:crypto'

const namesAtMost = 1_000
/** Statements with more values are large: keeping them on the server for each connection costs more than it saves. */
const valuesAtMost = 1_000

/** PostgreSQL's SQLSTATE for an unknown name and for a duplicate one. */
const strange = new Set(['26000', '42P05'])
const stalePlan = /cached plan must not change result type/

/**
 * Names for repeated statements: PostgreSQL parses and plans a named statement once per connection. A name is derived
 * from the text, so that nobody behind the same pooler uses it for another statement.
 */
export class StatementNames {
  readonly #names = new Map<string, string>()
  #generation = 0
  #isOff = false

  nameOf(text: string, values: readonly unknown[]): string | undefined {
    if (this.#isOff || values.length > valuesAtMost) return undefined
    const known = this.#names.get(text)
    if (known !== undefined || this.#names.size >= namesAtMost) return known
    const name = createHash('sha1').update(`${this.#generation} ${text}`).digest('hex')
    this.#names.set(text, name)
    return name
  }

  /** The driver does not know what a group has prepared, so the same text has another name there. */
  nameOfGrouped(text: string, values: readonly unknown[]): string | undefined {
    const name = this.nameOf(text, values)
    return name === undefined ? undefined : `${name}g`
  }

  /** Handles the error of a named statement. */
  failed(error: unknown): void {
    if (!isNameTrouble(error) || this.#isOff) return
    this.#names.clear()
    // After a table change, all connections have outdated statements: new names create new ones.
    if (stalePlan.test(error.message)) return void this.#generation++
    // A pooler lost it: its settings have changed since the start.
    this.#isOff = true
  }
}

/** Whether only the statement's name was wrong: nothing was done, and a retry with another name or none succeeds. */
export function isNameTrouble(error: unknown): error is Error {
  if (!(error instanceof Error && 'code' in error)) return false
  return strange.has(String(error.code)) || stalePlan.test(error.message)
}
