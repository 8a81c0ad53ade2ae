/** One row of the input. */
export interface InputRow {
  /** Counted from 1, without the header. */
  number: number
  /** By column name; cells beyond the header are `extra_1` and so on. */
  fields: ReadonlyMap<string, unknown>
  /** The reason why the row cannot be read, or null. */
  problem: string | null
}

export interface Column {
  /** Unique among the columns. */
  name: string
  /** The name in the input. */
  title: string
}
