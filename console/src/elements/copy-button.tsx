import { useState } from 'preact/hooks'
import { Icon } from './icon.tsx'

/** Copies a text to the clipboard and shows whether that worked. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [state, setState] = useState<'idle' | 'done' | 'failed'>('idle')
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setState('done'),
      () => setState('failed'),
    )
    setTimeout(() => setState('idle'), 2_000)
  }
  const word = state === 'done' ? 'Copied' : state === 'failed' ? 'Not allowed' : 'Copy'
  return (
    <button type="button" class="button plain small" aria-label={`${word}: ${label}`} onClick={copy}>
      <Icon name={state === 'done' ? 'check' : 'copy'} />
      <span aria-live="polite">{word}</span>
    </button>
  )
}

/** A command or piece of code with a copy button. */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <div class="code-block">
      <pre tabIndex={0} role="region" aria-label={label}>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} label={label} />
    </div>
  )
}
