import { formatAgo, formatOther, formatTime } from '../../format.ts'

/** A time in the zone of the page, with the other zone on hover; `ago` shows its age instead. */
export function Time({ at, ago }: { at: string | number | null | undefined; ago?: boolean }) {
  if (at === null || at === undefined) return <span class="faint">–</span>
  const iso = new Date(at).toISOString()
  const title = [ago ? formatTime(at) : null, formatOther(at)].filter(Boolean).join(' · ')
  return (
    <time dateTime={iso} title={title || undefined}>
      {ago ? formatAgo(at) : formatTime(at)}
    </time>
  )
}
