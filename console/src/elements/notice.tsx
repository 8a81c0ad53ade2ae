import type { ComponentChildren } from 'preact'
import { ApiError } from '../api.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

/** A highlighted message: information, a warning or an error. */
export function Notice({
  tone = 'info',
  children,
}: {
  tone?: 'info' | 'warning' | 'danger' | 'good'
  children: ComponentChildren
}) {
  return (
    <div class={`notice ${tone}`} role={tone === 'danger' ? 'alert' : 'status'}>
      <Icon name={tone === 'good' ? 'check' : 'alert'} />
      <div>{children}</div>
    </div>
  )
}

/** The error message of the service, with the request id to find it in the logs. */
export function ErrorNotice({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  if (error === null || error === undefined) return null
  const failure = error instanceof ApiError ? error : null
  const missing = failure?.code === 'route_not_found'
  return (
    <Notice tone="danger">
      <p>{missing ? 'This service does not offer that yet.' : errorText(error)}</p>
      {failure && failure.errors.length > 1 ? (
        <ul>
          {failure.errors.map(({ parameter, detail }) => (
            <li key={parameter + detail}>
              {parameter.replaceAll(/[._]/g, ' ')} {detail}
            </li>
          ))}
        </ul>
      ) : null}
      {failure?.requestId ? (
        <p class="faint">
          Request <code>{failure.requestId}</code>
        </p>
      ) : null}
      {onRetry ? (
        <Button small icon="refresh" onClick={onRetry}>
          Try again
        </Button>
      ) : null}
    </Notice>
  )
}

/** The message of an error in one sentence. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : 'Something went wrong.'
}
