import type { ComponentChildren } from 'preact'
import { Word } from './word.tsx'

export type Tone = 'neutral' | 'good' | 'warning' | 'danger' | 'accent' | 'live' | 'store' | 'stale'

/** A short status label. The text alone carries the meaning; the colour only repeats it. */
export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>
}

/** The source of a response's data: live, store or stale. */
export function SourceBadge({ source }: { source: string | null }) {
  if (source === null) return <span class="faint">–</span>
  if (source === 'stale_fallback') return <Badge tone="stale">stale</Badge>
  return <Badge tone={source === 'live' ? 'live' : 'store'}>{source}</Badge>
}

/** The HTTP status of a call and its failure code. */
export function StatusBadge({ status, code }: { status: number; code: string | null }) {
  const tone = status < 300 ? 'good' : status < 500 ? 'warning' : 'danger'
  return (
    <span>
      <Badge tone={tone}>{status}</Badge>
      {code ? (
        <span class="code-word">
          {' '}
          <Word text={code} />
        </span>
      ) : null}
    </span>
  )
}
