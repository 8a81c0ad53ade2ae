import { goTo, hrefTo } from '../../router.ts'
import { Button } from '../button.tsx'
import { AllRows, handful, type WholeList } from './exports.tsx'

/** The pressed button may not exist on the next page, so the focus moves to the page heading. */
function focusHeading(): void {
  document.querySelector<HTMLElement>('main h1')?.focus()
}

/** Buttons for the first and the next page of a list, and for all its rows; a null cursor means the first page. */
export function Pager({
  next,
  cursor,
  onPage,
  all,
}: {
  next: string | null
  cursor: string | null
  onPage: (cursor: string | null) => void
  /** The whole list, for a file with all its rows. */
  all?: WholeList
}) {
  const hasPages = next !== null || cursor !== null
  const mayExport = all && (hasPages || (all.shown ?? Infinity) > handful)
  if (!hasPages && !mayExport) return null
  const turn = (to: string | null) => {
    onPage(to)
    focusHeading()
  }
  return (
    <div class="pager">
      {cursor === null ? null : <Button onClick={() => turn(null)}>First page</Button>}
      {next === null ? null : <Button onClick={() => turn(next)}>Next page</Button>}
      {mayExport ? (
        <span class="pager-end">
          <AllRows {...all} />
        </span>
      ) : null}
    </div>
  )
}

/**
 * The cursor of a list, kept in the URL so that the back button returns to the previous page. Changing a filter drops
 * it.
 */
export function useCursor(
  path: string[],
  query: URLSearchParams,
): [cursor: string | null, setCursor: (cursor: string | null) => void] {
  const others = Object.fromEntries([...query].filter(([name]) => name !== 'cursor'))
  return [query.get('cursor'), (cursor) => goTo(hrefTo(path, { ...others, cursor }))]
}
