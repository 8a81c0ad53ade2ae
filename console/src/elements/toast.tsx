import { useEffect, useState } from 'preact/hooks'
import { reloadAll } from '../use-query.ts'
import { useAction } from '../use-action.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { ExportTray } from './lists/exports.tsx'
import { errorText } from './notice.tsx'

/** A change that was made, with a way back: undo, or a link to the changed object. */
export interface Done {
  text: string
  undo?: () => Promise<unknown>
  link?: { text: string; href: string }
}

const confirmed = 'vitae-confirmed'
const shownMs = 12_000

/** Confirms a change at the lower edge of the page. */
export function confirmDone(done: Done): void {
  dispatchEvent(new CustomEvent(confirmed, { detail: done }))
}

/** The place of confirmations. The newest replaces the one before, and leaves unless someone points at it. */
export function Toasts() {
  const [shown, setShown] = useState<{ done: Done; number: number } | null>(null)
  const [held, setHeld] = useState(false)
  useEffect(() => {
    const show = (event: Event) =>
      setShown((last) => ({ done: (event as CustomEvent<Done>).detail, number: (last?.number ?? 0) + 1 }))
    addEventListener(confirmed, show)
    return () => removeEventListener(confirmed, show)
  }, [])
  const close = () => setShown(null)
  useEffect(() => {
    if (!shown || held) return undefined
    const timer = setTimeout(close, shownMs)
    return () => clearTimeout(timer)
  }, [shown, held])
  return (
    <div
      class="toasts"
      role="status"
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocusIn={() => setHeld(true)}
      onFocusOut={() => setHeld(false)}
    >
      <ExportTray />
      {shown ? <Toast key={shown.number} done={shown.done} onClose={close} /> : null}
    </div>
  )
}

function Toast({ done: { text, undo, link }, onClose }: { done: Done; onClose: () => void }) {
  const action = useAction()
  const goBack = async () => {
    if (!undo || !(await action.run(undo))) return
    reloadAll()
    confirmDone({ text: `Undone: ${text}` })
  }
  return (
    <div class="toast">
      <Icon name={action.error ? 'alert' : 'check'} />
      <span>{action.error ? `Not undone: ${errorText(action.error)}` : text}</span>
      {undo && !action.error ? (
        <Button small busy={action.busy} onClick={() => void goBack()}>
          Undo
        </Button>
      ) : null}
      {link ? (
        <a href={link.href} onClick={onClose}>
          {link.text}
        </a>
      ) : null}
      <button type="button" class="button quiet small" aria-label="Close the message" onClick={onClose}>
        <Icon name="close" />
      </button>
    </div>
  )
}
