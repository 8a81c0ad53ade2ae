import type { ComponentChildren } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'

/** The meaning of each figure. A word means the same on every page. */
const words = {
  calls: 'Requests of callers with a live API key, answered or refused. A call asks no provider, one or several.',
  attempts: 'How often a provider was asked. A retry is one more attempt, and so is one without an answer.',
  billable: 'Attempts that this provider may bill: those that reached it.',
  credits: 'What calls were charged. Credits on hold do not count until their call ends.',
  store: 'Calls answered from the store, without asking a provider.',
  available: 'The balance without what is held by calls in progress.',
  held: 'Reserved by calls in progress. A call pays from it or frees it.',
  balance: 'Everything granted minus everything charged. The part on hold is included.',
  refused:
    'Answered with a 4xx status: the request was wrong or not allowed, or there is no such record. Never billed.',
  failed: 'Answered with a 5xx status: this service or a provider failed. Never billed.',
  latency: 'The time from a request to its answer. Half of the calls took less than the median.',
  thin: 'The record has little more than a name. Missing jobs do not mean that all jobs ended.',
  breaker: 'After several failures in a row the provider is not asked for a while. Open means: not asked now.',
  projection: 'The version of the rules that turned the answer of the provider into this record.',
  rows: 'Lines of the file. Each one is a call when it is looked up.',
} as const
export type WordName = keyof typeof words

const tipWidth = 280

/** A word with its explanation, on hover and on focus. */
export function Term({ word, children }: { word: WordName; children: ComponentChildren }) {
  const id = useId()
  const place = useRef<HTMLSpanElement>(null)
  const [at, setAt] = useState<{ left: string; top: string } | null>(null)
  const open = () => {
    const { left = 0, bottom = 0 } = place.current?.getBoundingClientRect() ?? {}
    setAt({ left: `${Math.max(8, Math.min(left, innerWidth - tipWidth - 8))}px`, top: `${bottom + 4}px` })
  }
  const close = () => setAt(null)
  return (
    <span
      ref={place}
      class="term"
      tabIndex={0}
      aria-describedby={at ? id : undefined}
      onMouseEnter={open}
      onMouseLeave={close}
      onFocus={open}
      onBlur={close}
      onKeyDown={({ key }) => key === 'Escape' && close()}
    >
      {children}
      {at ? (
        <span id={id} role="tooltip" class="tip" style={at}>
          {words[word]}
        </span>
      ) : null}
    </span>
  )
}
