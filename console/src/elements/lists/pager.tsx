import { goTo, hrefTo } from '../../router.ts'
import { Button } from '../button.tsx'

/** The button is gone on the last page, so the focus goes to the heading, from where the list is read. */
function focusHeading(): void {
  document.querySelector<HTMLElement>('main h1')?.focus()
}

/** One page of a list after the other; a null cursor is the first page. */
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

/** The cursor of a list, in the address: the way back of the browser leads to the page before. Other filters drop it. */
export function useCursor(
  path: string[],
  query: URLSearchParams,
): [cursor: string | null, setCursor: (cursor: string | null) => void] {
  const others = Object.fromEntries([...query].filter(([name]) => name !== 'cursor'))
  return [query.get('cursor'), (cursor) => goTo(hrefTo(path, { ...others, cursor }))]
}
