import type { NewKey } from '../../api-types.generated.ts'
import { Button } from '../../elements/button.tsx'
import { CodeBlock } from '../../elements/copy-button.tsx'
import { Dialog } from '../../elements/dialog.tsx'
import { Notice } from '../../elements/notice.tsx'

/** The one moment in which a key can be read. */
export function ShownKey({ made, onClose }: { made: NewKey; onClose: () => void }) {
  const curl = `curl -i -H 'ApiKey: ${made.key}' '${location.origin}/v1/people/profile?profile_id=${
    made.mode === 'test' ? 'sample-complete' : 'amara-okafor'
  }'`
  return (
    <Dialog title="Your new key" wide stays onClose={onClose}>
      <Notice tone="warning">Copy it now. Only a hash is kept, so nobody can show it again.</Notice>
      <CodeBlock text={made.key} label="the key" />
      <p>Try it:</p>
      <CodeBlock text={curl} label="curl command" />
      <p class="faint">
        {made.project}/{made.environment}, {made.mode === 'live' ? 'live: each answer spends credits.' : 'test: free.'}
      </p>
      <div class="dialog-actions">
        <Button kind="primary" onClick={onClose}>
          I have copied it
        </Button>
      </div>
    </Dialog>
  )
}
