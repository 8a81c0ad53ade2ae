import type { ExplainedCall } from '@vitae/contract/admin'
import { EmptyState } from '../../elements/states.tsx'
import { formatMs } from '../../format.ts'

interface Bar {
  name: string
  startMs: number
  ms: number
  /** The bar is part of the step above it. */
  inner: boolean
  tone: 'good' | 'warning' | 'plain'
}

/** The steps of a call as bars by start time and duration. Provider attempts are shown inside the fetch step. */
export function Waterfall({ call }: { call: ExplainedCall }) {
  const { timings_ms: timings, attempts, fetched_by: waitedFor } = call
  const bars = barsOf(timings, waitedFor === null ? attempts : [])
  if (bars.length === 0) return <EmptyState title={whyNoSteps(call)} />
  const all = Math.max(timings.total ?? 0, ...bars.map(({ startMs, ms }) => startMs + ms), 0.001)
  return (
    <ol class="waterfall" aria-label="Steps of the call, in order">
      {bars.map((bar, index) => (
        <li key={index} class={bar.inner ? 'inner' : undefined}>
          <span class="step">{bar.name}</span>
          <span class="lane" aria-hidden="true">
            <span
              class={`bar ${bar.tone}`}
              style={{ marginLeft: `${(bar.startMs / all) * 100}%`, width: `${(bar.ms / all) * 100}%` }}
            />
          </span>
          <span class="took">{formatMs(bar.ms)}</span>
        </li>
      ))}
      {timings.total === null ? null : (
        <li class="all">
          <span class="step">total</span>
          <span class="lane" aria-hidden="true" />
          <span class="took">{formatMs(timings.total)}</span>
        </li>
      )}
    </ol>
  )
}

function whyNoSteps({ mode, status }: ExplainedCall): string {
  if (status !== 200 && status < 500) return 'The call was refused before its first step.'
  return mode === 'test' ? 'A sample has no steps.' : 'The steps of a plain answer from the store are not kept.'
}

const order = ['authorize', 'recall', 'hold', 'fetch', 'save', 'capture', 'release'] as const

/**
 * Steps run one after the other, and so do the provider attempts of a fetch, so each bar starts where the last one
 * ended.
 */
function barsOf(timings: ExplainedCall['timings_ms'], attempts: ExplainedCall['attempts']): Bar[] {
  const bars: Bar[] = []
  let at = 0
  for (const name of order) {
    const ms = timings[name]
    if (ms === null) continue
    bars.push({ name, startMs: at, ms, inner: false, tone: 'plain' })
    let inner = at
    for (const { provider, outcome, duration_ms: took } of name === 'fetch' ? attempts : []) {
      const tone = outcome === 'found' ? 'good' : 'warning'
      bars.push({ name: `${provider}: ${outcome}`, startMs: inner, ms: took, inner: true, tone })
      inner += took
    }
    at += ms
  }
  return bars
}
