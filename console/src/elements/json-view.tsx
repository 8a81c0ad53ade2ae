import { useMemo } from 'preact/hooks'
import { CopyButton } from './copy-button.tsx'

const tokens = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g
const colourLimit = 200_000

/** Indented and coloured JSON that scrolls by keyboard. Everything is rendered as text nodes, never as HTML. */
export function JsonView({ text, label }: { text: string; label: string }) {
  const pretty = useMemo(() => indent(text), [text])
  const body = useMemo(() => (pretty.length > colourLimit ? [pretty] : colour(pretty)), [pretty])
  return (
    <div class="code-block">
      <pre class="json" tabIndex={0} role="region" aria-label={label}>
        <code>{body}</code>
      </pre>
      <CopyButton text={pretty} label={label} />
    </div>
  )
}

function indent(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

function colour(text: string) {
  const parts = []
  let end = 0
  for (const match of text.matchAll(tokens)) {
    const [whole, quoted, colon] = match
    if (match.index > end) parts.push(text.slice(end, match.index))
    if (quoted !== undefined && colon !== undefined) parts.push(<span class="j-key">{quoted}</span>, colon)
    else if (quoted !== undefined) parts.push(<bdi class="j-text">{quoted}</bdi>)
    else parts.push(<span class="j-value">{whole}</span>)
    end = match.index + whole.length
  }
  parts.push(text.slice(end))
  return parts
}
