import { useState } from 'preact/hooks'
import { Button } from './button.tsx'

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

/** The cursor of a filtered list. It belongs to the filters it was made with: other filters begin at the first page. */
export function useCursor(filters: string): [cursor: string | null, setCursor: (cursor: string | null) => void] {
  const [place, setPlace] = useState<{ filters: string; cursor: string | null } | null>(null)
  return [place?.filters === filters ? place.cursor : null, (cursor) => setPlace({ filters, cursor })]
}
