/** A planted mistake: a text of one file, and its replacement. */
export interface Fault {
  name: string
  /** Path below `service/src`. */
  file: string
  find: string
  replace: string
  /** Code to insert at the top of the file. */
  prelude?: string
}
