import type { NewKey } from '@vitae/contract/admin'
import { CodeBlock } from '../../../elements/copy-button.tsx'
import { ShownOnce } from '../../../elements/dialogs/shown-once.tsx'

/** Shows a new key once, with a curl command to try it. */
export function ShownKey({ made, onClose }: { made: NewKey; onClose: () => void }) {
  const curl = `curl -i -H 'ApiKey: ${made.key}' '${location.origin}/v1/people/profile?profile_id=${
    made.mode === 'test' ? 'sample-complete' : 'amara-okafor'
  }'`
  return (
    <ShownOnce
      title="Your new key"
      notice="Copy it now. Only a hash is kept, so nobody can show it again."
      text={made.key}
      label="the key"
      onClose={onClose}
    >
      <p>Try it:</p>
      <CodeBlock text={curl} label="curl command" />
      <p class="faint">
        {made.project}/{made.environment}, {made.mode === 'live' ? 'live: each answer spends credits.' : 'test: free.'}
      </p>
    </ShownOnce>
  )
}
