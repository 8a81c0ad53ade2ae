import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Icon } from '../icon.tsx'

interface Props {
  title: string
  children: ComponentChildren
  wide?: boolean
  /** Near the upper edge, so that it does not move while its content grows. */
  atTop?: boolean
  /** Closes by its own buttons only: what it shows cannot be had again. */
  stays?: boolean
  onClose: () => void
}

/** The button or link that was pressed last outside of dialogs, and so opened the first of them. */
let opener: HTMLElement | null = null

/** A modal window. The browser itself keeps the focus inside and closes it on Escape; the focus goes back to where it was. */
export function Dialog({ title, children, wide, atTop, stays = false, onClose }: Props) {
  const element = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    return () => {
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
      // A browser closes it at the second Escape even so.
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

/** The opener may be gone with its row, or its page: then the heading of the page is the next best place. */
function giveFocusBack(): void {
  if (document.querySelector('dialog[open]') || document.activeElement !== document.body) return
  const place = opener?.isConnected ? opener : document.querySelector<HTMLElement>('main h1')
  place?.focus({ preventScroll: true })
  if (place !== opener) return
  // What was confirmed may take the opener away a moment later.
  const watch = new MutationObserver(() => {
    if (place?.isConnected) return
    watch.disconnect()
    giveFocusBack()
  })
  watch.observe(document.body, { childList: true, subtree: true })
  addEventListener('focusin', () => watch.disconnect(), { once: true })
}

// Remembered at the press: `autofocus` moves the focus before a dialog could ask for it.
addEventListener(
  'click',
  ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>('button, a') : null
    if (button && !button.closest('dialog')) opener = button
  },
  true,
)
