import type { ComponentChildren } from 'preact'
import type { QueryState } from '../use-query.ts'
import { ErrorNotice } from './notice.tsx'

/** Nothing is here yet, and what to do about it. */
export function EmptyState({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children ? <div class="faint">{children}</div> : null}
    </div>
  )
}

/** Grey lines while something is on its way. */
export function Loading({ lines = 4 }: { lines?: number }) {
  return (
    <div class="loading" role="status">
      <span class="sr-only">Loading…</span>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} class="skeleton" aria-hidden="true" />
      ))}
    </div>
  )
}

/** Shows an answer, or that it is on its way, or why it did not come. Old data stays beside a new failure. */
export function Loaded<T>({ query, children }: { query: QueryState<T>; children: (data: T) => ComponentChildren }) {
  return (
    <>
      <ErrorNotice error={query.error} onRetry={query.reload} />
      {query.data !== null ? children(query.data) : query.loading ? <Loading /> : null}
    </>
  )
}
