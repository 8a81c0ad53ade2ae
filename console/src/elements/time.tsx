import { formatAgo, formatTime, formatUtc } from '../format.ts'

/** A time in the reader's time zone, with UTC on hover; `ago` shows its age instead. */
export function Time({ at, ago }: { at: string | number | null | undefined; ago?: boolean }) {
  if (at === null || at === undefined) return <span class="faint">–</span>
  const iso = new Date(at).toISOString()
  const title = ago ? `${formatTime(at)} · ${formatUtc(at)}` : formatUtc(at)
  return (
    <time dateTime={iso} title={title}>
      {ago ? formatAgo(at) : formatTime(at)}
    </time>
  )
}
