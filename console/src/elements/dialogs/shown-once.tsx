import type { ComponentChildren } from 'preact'
import { Button } from '../button.tsx'
import { CodeBlock } from '../copy-button.tsx'
import { Dialog } from './dialog.tsx'
import { Notice } from '../notice.tsx'

interface Props {
  title: string
  /** What to do with it, and why it cannot be had again. */
  notice: string
  text: string
  /** What it is, for the copy button. */
  label: string
  children?: ComponentChildren
  onClose: () => void
}

/** The one moment in which a key, a token or a secret can be read: nothing closes it but its own button. */
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
