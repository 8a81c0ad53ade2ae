import pg from 'pg'

/** A statement as it goes to the server. */
export interface Statement {
  text: string
  values: readonly unknown[]
  /** Under this name the server keeps its parsed form; without one it is parsed each time. */
  name?: string | undefined
}

/** What came of a statement. */
export interface StatementResult {
  /** `INSERT`, `SELECT`, `COMMIT`: the first word of what the server says was done. */
  command: string
  rowCount: number
  rows: Record<string, unknown>[]
}

interface Column {
  name: string
  parse: (text: string) => unknown
}

type Done = (error: Error | null, results?: StatementResult[]) => void

/**
 * Statements that go to the server in one piece, with one sync at their end, as the protocol of PostgreSQL has it for
 * pipelines. The server runs them in their order, and after one that fails it skips all the others up to the sync: behind a
 * failed statement nothing is done, and nothing is committed.
 */
export class StatementGroup implements pg.Submittable {
  /** The driver puts the timer of its read timeout around it. */
  callback: Done
  readonly #statements: readonly { statement: Statement; values: (string | Buffer | null)[] }[]
  readonly #results: StatementResult[] = []
  readonly #prepared: Set<string>
  #columns: Column[] = []
  #rows: StatementResult['rows'] = []

  /** `prepared` has the names that this connection knows; those of the group are added when all of it was done. */
  constructor(statements: readonly Statement[], prepared: Set<string>, done: Done) {
    // Here, because a value that cannot be sent must not leave half a group behind.
    this.#statements = statements.map((statement) => ({ statement, values: statement.values.map(onTheWire) }))
    this.#prepared = prepared
    this.callback = done
  }

  submit(connection: pg.Connection): void {
    connection.stream.cork()
    for (const { statement, values } of this.#statements) {
      const { text, name = '' } = statement
      if (!this.#prepared.has(name)) {
        // A group that failed may have left the name behind. To close one that is not there is no error.
        if (name !== '') connection.close({ type: 'S', name }, true)
        connection.parse({ text, name, types: [] }, true)
      }
      connection.bind({ portal: '', statement: name, values }, true)
      connection.describe({ type: 'P', name: '' }, true)
      connection.execute({ portal: '' }, true)
    }
    connection.sync()
    connection.stream.uncork()
  }

  handleRowDescription({ fields }: { fields: pg.FieldDef[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, parse: pg.types.getTypeParser(dataTypeID, 'text') }))
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const row: Record<string, unknown> = {}
    for (const [index, { name, parse }] of this.#columns.entries()) {
      const text = fields[index] ?? null
      row[name] = text === null ? null : parse(text)
    }
    this.#rows.push(row)
  }

  handleCommandComplete({ text }: { text: string }): void {
    const words = text.split(' ')
    this.#results.push({ command: words[0] ?? '', rowCount: Number(words.at(-1)) || 0, rows: this.#rows })
    this.#rows = []
  }

  handleError(error: Error): void {
    this.callback(error)
  }

  handleReadyForQuery(): void {
    for (const { statement } of this.#statements) if (statement.name) this.#prepared.add(statement.name)
    this.callback(null, this.#results)
  }
}

/** A value as text, or as bytes: all that our statements are given. */
function onTheWire(value: unknown): string | Buffer | null {
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  if (Array.isArray(value)) return `{${value.map(inList).join(',')}}`
  return asText(value)
}

function inList(value: unknown): string {
  const text = asText(value)
  return text === null ? 'NULL' : `"${text.replaceAll(/["\\]/g, '\\$&')}"`
}

function asText(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value)
  throw new TypeError(`a statement cannot be given a value of type ${typeof value}`)
}
