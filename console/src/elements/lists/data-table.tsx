import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { saveFile } from '../../api.ts'
import { Button } from '../button.tsx'
import { Term, type WordName } from '../term.tsx'
import { handful } from './exports.tsx'
import { csvOf } from './table-csv.ts'

export interface Column<Row> {
  label: string
  cell: (row: Row) => ComponentChildren
  align?: 'right'
  /** The word that the figures count, explained on hover and on focus. */
  word?: WordName
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
  /** One line per row. */
  dense?: boolean
  /** Figures that people compute with: a short table can be saved too. */
  isReport?: boolean
}

/**
 * A table that becomes a list of cards on a phone. The ARIA roles are explicit because the card layout removes the
 * implicit ones.
 */
export function DataTable<Row>({ caption, columns, rows, keyOf, empty, dense, isReport }: Props<Row>) {
  const captionId = useId()
  const wrap = useKeyboardScroll(rows.length > 0)
  if (rows.length === 0) return <>{empty}</>
  return (
    <>
      <div class={dense ? 'table-wrap dense' : 'table-wrap'} ref={wrap}>
        <table class="table" role="table" aria-labelledby={captionId}>
          <caption id={captionId} class="sr-only">
            {caption}
          </caption>
          <thead role="rowgroup">
            <tr role="row">
              {columns.map(({ label, align, word }) => (
                <th key={label} role="columnheader" scope="col" class={align}>
                  {word ? <Term word={word}>{label}</Term> : label}
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
      {isReport || rows.length > handful ? (
        <p class="table-tools">
          <Button small kind="quiet" label={`This page as CSV: ${caption}`} onClick={() => save(wrap.current, caption)}>
            This page as CSV
          </Button>
        </p>
      ) : null}
    </>
  )
}

/** Makes a table that is wider than its place reachable by keyboard, because it scrolls. */
function useKeyboardScroll(isShown: boolean) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = place.current
    if (!element) return undefined
    const observer = new ResizeObserver(() => {
      if (element.scrollWidth > element.clientWidth) element.tabIndex = 0
      else element.removeAttribute('tabindex')
    })
    observer.observe(element)
    if (element.firstElementChild) observer.observe(element.firstElementChild)
    return () => observer.disconnect()
  }, [isShown])
  return place
}

/** Saves the table as a file that is named after its caption. */
function save(place: HTMLElement | null, caption: string): void {
  const table = place?.querySelector('table')
  if (!table) return
  const name = caption.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-')
  saveFile(new Blob([csvOf(table)], { type: 'text/csv' }), `${name}.csv`)
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
