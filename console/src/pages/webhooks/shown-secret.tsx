import { Button } from '../../elements/button.tsx'
import { CodeBlock } from '../../elements/copy-button.tsx'
import { Dialog } from '../../elements/dialog.tsx'
import { Notice } from '../../elements/notice.tsx'

/** The one moment in which a webhook's secret can be read. */
export function ShownSecret({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <Dialog title="The webhook’s secret" onClose={onClose}>
      <Notice tone="warning">Copy it now: it is not shown again. Your receiver checks signatures with it.</Notice>
      <CodeBlock text={secret} label="the secret" />
      <div class="dialog-actions">
        <Button kind="primary" onClick={onClose}>
          I have copied it
        </Button>
      </div>
    </Dialog>
  )
}
