import type { ComponentChildren } from 'preact'
import { Term, type WordName } from './term.tsx'

/** One key figure with its label. */
export function Tile({
  label,
  word,
  value,
  children,
  tone,
}: {
  label: string
  /** The word that the figure counts, explained on hover and on focus. */
  word?: WordName
  value: string
  children?: ComponentChildren
  tone?: 'good' | 'danger'
}) {
  return (
    <div class="tile">
      <span class="tile-label">{word ? <Term word={word}>{label}</Term> : label}</span>
      <span class={tone ? `tile-value ${tone}` : 'tile-value'}>{value}</span>
      {children ? <span class="tile-note">{children}</span> : null}
    </div>
  )
}
