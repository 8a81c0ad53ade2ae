/** A mistake that somebody could make: a text of one file, and what stands there instead. */
export interface Fault {
  name: string
  /** Below `service/src`. */
  file: string
  find: string
  replace: string
  /** What stands before the rest of the file. */
  prelude?: string
}
