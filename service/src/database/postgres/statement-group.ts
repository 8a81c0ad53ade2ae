import pg from 'pg'

/** A statement as sent to the server. */
export interface Statement {
  text: string
  values: readonly unknown[]
  /** The name under which the server keeps its parsed form; without one it is parsed each time. */
  name?: string | undefined
}

/** The result of a statement. */
export interface StatementResult {
  /** `INSERT`, `SELECT`, `COMMIT`: the first word of the server's command tag. */
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
 * Statements that are sent in one piece with one sync at the end, as PostgreSQL's protocol defines pipelines. The
 * server runs them in order. After a failed one it skips the rest up to the sync, so nothing after it is done or
 * committed.
 */
export class StatementGroup implements pg.Submittable {
  /** The driver wraps it with the timer of its read timeout. */
  callback: Done
  readonly #statements: readonly { statement: Statement; values: (string | Buffer | null)[] }[]
  readonly #results: StatementResult[] = []
  readonly #prepared: Set<string>
  #columns: Column[] = []
  #rows: StatementResult['rows'] = []

  /** `prepared` has the names that this connection knows; those of the group are added when all of it succeeded. */
  constructor(statements: readonly Statement[], prepared: Set<string>, done: Done) {
    // Encoded here, because a value that cannot be sent must not leave half a group behind.
    this.#statements = statements.map((statement) => ({ statement, values: statement.values.map(onTheWire) }))
    this.#prepared = prepared
    this.callback = done
  }

  submit(connection: pg.Connection): void {
    connection.stream.cork()
    for (const { statement, values } of this.#statements) {
      const { text, name = '' } = statement
      if (!this.#prepared.has(name)) {
        // A failed group may have left the name behind. Closing a name that does not exist is no error.
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

/** A value as text or bytes, the only forms that our statements use. */
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
