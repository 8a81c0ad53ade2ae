import type { ComponentChildren } from 'preact'
import { Button } from '../button.tsx'
import { CodeBlock } from '../copy-button.tsx'
import { Dialog } from './dialog.tsx'
import { Notice } from '../notice.tsx'

interface Props {
  title: string
  /** Tells the user to copy the text now because it is never shown again. */
  notice: string
  text: string
  /** Name of the text for the copy button. */
  label: string
  children?: ComponentChildren
  onClose: () => void
}

/** Shows a key, token or secret once. Only its own button closes it, so that nobody loses the text by accident. */
export function ShownOnce({ title, notice, text, label, children, onClose }: Props) {
  return (
    <Dialog title={title} wide stays onClose={onClose}>
      <Notice tone="warning">{notice}</Notice>
      <CodeBlock text={text} label={label} />
      {children}
      <div class="dialog-actions">
        <Button kind="primary" onClick={onClose}>
          I have copied it
        </Button>
      </div>
    </Dialog>
  )
}
