import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Icon } from '../icon.tsx'

interface Props {
  title: string
  children: ComponentChildren
  wide?: boolean
  /** Places the dialog near the top, so that it does not move while its content grows. */
  atTop?: boolean
  /** Only the dialog's own buttons close it, because its content is never shown again. */
  stays?: boolean
  onClose: () => void
}

/** The button or link last clicked outside a dialog, which opened the first dialog. */
let opener: HTMLElement | null = null

/** A modal dialog. The browser keeps the focus inside and closes it on Escape; then the focus returns to the opener. */
export function Dialog({ title, children, wide, atTop, stays = false, onClose }: Props) {
  const element = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    const stop = focusFirstField(dialog)
    return () => {
      stop()
      dialog?.close()
      setTimeout(giveFocusBack)
    }
  }, [])
  useEffect(() => {
    if (!stays) return undefined
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [stays])
  const cancel = (event: Event) => {
    event.preventDefault()
    if (!stays) onClose()
  }
  return (
    <dialog
      ref={element}
      class={`dialog${wide ? ' wide' : ''}${atTop ? ' at-top' : ''}`}
      aria-labelledby={titleId}
      onCancel={cancel}
      // Browsers close a dialog on the second Escape even if the cancel event is prevented.
      onClose={() => stays && element.current?.isConnected && element.current.showModal()}
    >
      <header class="dialog-head">
        <h2 id={titleId}>{title}</h2>
        {stays ? null : (
          <button type="button" class="button quiet small" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </button>
        )}
      </header>
      <div class="dialog-body">{children}</div>
    </dialog>
  )
}

/** The browser would focus the close button. The fields of some dialogs appear only when their data has loaded. */
function focusFirstField(dialog: HTMLDialogElement | null): () => void {
  const watch = new MutationObserver(() => focus())
  const focus = () => {
    const fields = dialog?.querySelectorAll<HTMLElement>('.dialog-body :is(input, select, textarea)') ?? []
    const field = [...fields].find((each) => each.autofocus) ?? fields[0]
    if (!field) return
    watch.disconnect()
    field.focus()
  }
  if (dialog) watch.observe(dialog, { childList: true, subtree: true })
  focus()
  return () => watch.disconnect()
}

/** Focuses the opener, or the page heading if the opener no longer exists. */
function giveFocusBack(): void {
  if (document.querySelector('dialog[open]') || document.activeElement !== document.body) return
  const place = opener?.isConnected ? opener : document.querySelector<HTMLElement>('main h1')
  place?.focus({ preventScroll: true })
  if (place !== opener) return
  // The confirmed action may remove the opener shortly after the dialog closes.
  const watch = new MutationObserver(() => {
    if (place?.isConnected) return
    watch.disconnect()
    giveFocusBack()
  })
  watch.observe(document.body, { childList: true, subtree: true })
  addEventListener('focusin', () => watch.disconnect(), { once: true })
}

// Remember the opener on click: `autofocus` moves the focus before a dialog can read it.
addEventListener(
  'click',
  ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>('button, a') : null
    if (button && !button.closest('dialog')) opener = button
  },
  true,
)
