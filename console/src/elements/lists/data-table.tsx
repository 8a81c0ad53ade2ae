import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

export interface Column<Row> {
  label: string
  cell: (row: Row) => ComponentChildren
  align?: 'right'
  /** The cell is the header of its row. */
  head?: true
}

interface Props<Row> {
  /** Caption for screen readers. */
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  empty: ComponentChildren
}

/**
 * A table that becomes a list of cards on a phone. The ARIA roles are explicit because the card layout removes the
 * implicit ones.
 */
export function DataTable<Row>({ caption, columns, rows, keyOf, empty }: Props<Row>) {
  const captionId = useId()
  if (rows.length === 0) return <>{empty}</>
  return (
    <div class="table-wrap">
      <table class="table" role="table" aria-labelledby={captionId}>
        <caption id={captionId} class="sr-only">
          {caption}
        </caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ label, align }) => (
              <th key={label} role="columnheader" scope="col" class={align}>
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={keyOf(row)} role="row">
              {columns.map((column) => (
                <Cell key={column.label} column={column} row={row} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Cell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  const content = column.cell(row)
  const common = { class: column.align, 'data-label': column.label }
  return column.head ? (
    <th scope="row" role="rowheader" {...common}>
      <div class="cell">{content}</div>
    </th>
  ) : (
    <td role="cell" {...common}>
      <div class="cell">{content}</div>
    </td>
  )
}
