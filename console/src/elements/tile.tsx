import type { ComponentChildren } from 'preact'

/** One key figure with its label. */
export function Tile({
  label,
  value,
  children,
  tone,
}: {
  label: string
  value: string
  children?: ComponentChildren
  tone?: 'good' | 'danger'
}) {
  return (
    <div class="tile">
      <span class="tile-label">{label}</span>
      <span class={tone ? `tile-value ${tone}` : 'tile-value'}>{value}</span>
      {children ? <span class="tile-note">{children}</span> : null}
    </div>
  )
}
