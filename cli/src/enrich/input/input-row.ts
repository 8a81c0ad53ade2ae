/** One row of the input. */
export interface InputRow {
  /** From 1, without the header. */
  number: number
  /** By column; what a CSV has beyond its header is `extra_1` and so on. */
  fields: ReadonlyMap<string, unknown>
  /** Why the row cannot be read, or null. */
  problem: string | null
}

export interface Column {
  /** Unlike that of every other column. */
  name: string
  /** As the input has it. */
  title: string
}

export interface OpenInput {
  columns: readonly Column[]
  /** Of a CSV. */
  delimiter?: string
  rows: AsyncGenerator<InputRow>
}
