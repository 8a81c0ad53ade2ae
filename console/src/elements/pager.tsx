import { Button } from './button.tsx'

/** One page of a list after the other. */
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
      {first ? null : <Button onClick={onFirst}>First page</Button>}
      {next === null ? null : <Button onClick={() => onMore(next)}>Next page</Button>}
    </div>
  )
}
