import { isDeeper } from '../../foundation/schema/is-deeper.ts'
import { Failure } from '../../foundation/failure.ts'

/** The failure for a body that does not match its type. It repeats nothing of the body. */
export function unreadable(detail: string): Failure {
  return new Failure('invalid_request', {
    detail: `The body ${detail}.`,
    errors: [{ parameter: 'body', detail }],
  })
}

/** The maximum length of a row, including its other columns. */
export const recordLengthAtMost = 131_072
export const columnsAtMost = 1_000
const nameAtMost = 1_000
const levelsAtMost = 64

/** The column names of a file, in order of appearance. They are stored with the batch, so they are limited. */
export class ColumnNames {
  readonly #header: string[]
  readonly #taken = new Set<string>()
  /** The next number to try for each title. */
  readonly #numbers = new Map<string, number>()

  constructor(header: string[]) {
    this.#header = header
  }

  /** Adds a name if it is new. */
  add(name: string): void {
    if (this.#taken.has(name)) return
    if (this.#header.length >= columnsAtMost) throw unreadable(`has more than ${columnsAtMost} columns`)
    if (name.length > nameAtMost) throw unreadable(`has a column whose name is longer than ${nameAtMost} characters`)
    this.#header.push(name)
    this.#taken.add(name)
  }

  /** Adds a column under a unique name: the second `note` becomes `note_2`, so that no cell hides another. */
  addColumn(title: string): void {
    this.add(this.#taken.has(title) ? this.#numbered(title, 2) : title)
  }

  /** Adds columns `extra_1` and so on for cells beyond the header, up to `count`. */
  fillTo(count: number): void {
    while (this.#header.length < count) this.add(this.#numbered('extra', 1))
  }

  #numbered(title: string, from: number): string {
    const counted = `${from} ${title}`
    let number = this.#numbers.get(counted) ?? from
    while (this.#taken.has(`${title}_${number}`)) number++
    this.#numbers.set(counted, number + 1)
    return `${title}_${number}`
  }
}

/** Refuses deeply nested values, because JSON is serialised recursively. */
export function checkNesting(value: unknown): void {
  if (isDeeper(value, levelsAtMost)) throw unreadable(`has a value that is nested deeper than ${levelsAtMost} levels`)
}
