import { formatNumber } from '../../format.ts'

/** A bar that shows how much of a limit is used, with the figures beside it. */
export function MeterBar({
  used,
  limit,
  label,
  work = false,
}: {
  used: number
  limit: number | null
  label: string
  /** The bar shows progress, so a full bar is good. */
  work?: boolean
}) {
  if (limit === null) return <span class="nowrap">{formatNumber(used)}</span>
  const share = limit === 0 ? 1 : Math.min(1, used / limit)
  const tone = work ? 'good' : share >= 1 ? 'danger' : share >= 0.8 ? 'warning' : 'good'
  return (
    <span class="meter">
      <span
        class={`meter-track ${tone}`}
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(used, limit)}
      >
        <span class="meter-fill" style={{ width: `${share * 100}%` }} />
      </span>
      <span class="nowrap">
        {formatNumber(used)} of {formatNumber(limit)}
      </span>
    </span>
  )
}
