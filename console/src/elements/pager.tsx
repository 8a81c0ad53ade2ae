import { Button } from './button.tsx'

/** The way to older rows: one page of a list after the other. */
export function Pager({
  next,
  first,
  onMore,
  onFirst,
}: {
  next: string | null
  /** True while the first page is shown. */
  first: boolean
  onMore: (cursor: string) => void
  onFirst: () => void
}) {
  if (next === null && first) return null
  return (
    <div class="pager">
      {first ? null : <Button onClick={onFirst}>Newest</Button>}
      {next === null ? null : <Button onClick={() => onMore(next)}>Older</Button>}
    </div>
  )
}
