import { unreadable } from './unreadable.ts'

/** The longest row, with all of its other columns. */
export const recordBytesAtMost = 131_072

const columnsAtMost = 1_000
const nameAtMost = 1_000

/** Adds a column of a file. They are kept with the batch, so there is an end to them. */
export function addName(header: string[], name: string): void {
  if (header.length >= columnsAtMost) throw unreadable(`has more than ${columnsAtMost} columns`)
  if (name.length > nameAtMost) throw unreadable(`has a column whose name is longer than ${nameAtMost} characters`)
  header.push(name)
}
