import type { ComponentChildren } from 'preact'
import type { QueryState } from '../use-query.ts'
import { ErrorNotice } from './notice.tsx'

/** Tells the user that a list is empty and what to do next. */
export function EmptyState({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children ? <div class="faint">{children}</div> : null}
    </div>
  )
}

/** Grey placeholder lines while data loads. */
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

/** Shows the data of a query, its loading state or its error. Old data stays visible below a new error. */
export function Loaded<T>({ query, children }: { query: QueryState<T>; children: (data: T) => ComponentChildren }) {
  return (
    <>
      <ErrorNotice error={query.error} onRetry={query.reload} />
      {query.data !== null ? children(query.data) : query.loading ? <Loading /> : null}
    </>
  )
}
