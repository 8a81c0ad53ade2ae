import { ShownOnce } from '../../elements/dialogs/shown-once.tsx'

/** Shows a webhook's new secret once. */
export function ShownSecret({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <ShownOnce
      title="The webhook’s secret"
      notice="Copy it now: it is not shown again. Your receiver checks signatures with it."
      text={secret}
      label="the secret"
      onClose={onClose}
    />
  )
}
