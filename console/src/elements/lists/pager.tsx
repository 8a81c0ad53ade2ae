import { goTo, hrefTo } from '../../router.ts'
import { Button } from '../button.tsx'

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
  return (
    <div class="pager">
      {cursor === null ? null : <Button onClick={() => onPage(null)}>First page</Button>}
      {next === null ? null : <Button onClick={() => onPage(next)}>Next page</Button>}
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
