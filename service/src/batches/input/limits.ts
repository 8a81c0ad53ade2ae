import { isDeeper } from '../../foundation/schema/is-deeper.ts'
import { unreadable } from './unreadable.ts'

/** The longest row, with all of its other columns. */
export const recordLengthAtMost = 131_072
export const columnsAtMost = 1_000
const nameAtMost = 1_000
const levelsAtMost = 64

/** The names of a file's columns, in the order in which they appear. They are kept with the batch, so they are limited. */
export class ColumnNames {
  readonly #header: string[]
  readonly #taken = new Set<string>()
  /** The number that is tried next behind each title. */
  readonly #numbers = new Map<string, number>()

  constructor(header: string[]) {
    this.#header = header
  }

  /** Adds a name unless it is there. */
  add(name: string): void {
    if (this.#taken.has(name)) return
    if (this.#header.length >= columnsAtMost) throw unreadable(`has more than ${columnsAtMost} columns`)
    if (name.length > nameAtMost) throw unreadable(`has a column whose name is longer than ${nameAtMost} characters`)
    this.#header.push(name)
    this.#taken.add(name)
  }

  /** Adds a column under a name of its own: the second one called `note` is `note_2`, so no cell hides another. */
  addColumn(title: string): void {
    this.add(this.#taken.has(title) ? this.#numbered(title, 2) : title)
  }

  /** Adds columns for cells beyond the header, `extra_1` and so on, until there are as many. */
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

/** Refuses a value that is nested deeply: JSON is written by a function that calls itself for each level. */
export function checkNesting(value: unknown): void {
  if (isDeeper(value, levelsAtMost)) throw unreadable(`has a value that is nested deeper than ${levelsAtMost} levels`)
}
