/** A planted mistake: a piece of code in one function, and its replacement. */
export interface Fault {
  name: string
  /** Path below `service/src`. */
  file: string
  /** The function, method or constant that contains the code. */
  in: string
  /** An expression, statements, properties or members. Their syntax tree is compared, not their text (`match-syntax.ts`). */
  find: string
  replace: string
  /** Code to insert below the imports of the file. */
  prelude?: string
  /** It is played on both engines, because it concerns only one of them. */
  engine?: 'both'
}
