import { goTo, hrefTo } from '../../router.ts'
import { Button } from '../button.tsx'

/** The pressed button may not exist on the next page, so the focus moves to the page heading. */
function focusHeading(): void {
  document.querySelector<HTMLElement>('main h1')?.focus()
}

/** Buttons for the first and the next page of a list; a null cursor means the first page. */
export function Pager({
  next,
  cursor,
  onPage,
}: {
  next: string | null
  cursor: string | null
  onPage: (cursor: string | null) => void
}) {
  if (next === null && cursor === null) return null
  const turn = (to: string | null) => {
    onPage(to)
    focusHeading()
  }
  return (
    <div class="pager">
      {cursor === null ? null : <Button onClick={() => turn(null)}>First page</Button>}
      {next === null ? null : <Button onClick={() => turn(next)}>Next page</Button>}
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
