import { useState } from 'preact/hooks'
import { api, ApiError } from '../../api.ts'
import type { PriceBook } from '@vitae/contract/admin'
import { priceMatchers } from '../../build-words.ts'
import { Button } from '../../elements/button.tsx'
import { Dialog } from '../../elements/dialogs/dialog.tsx'
import { Field } from '../../elements/field.tsx'
import { ErrorNotice, Notice } from '../../elements/notice.tsx'
import { useAction } from '../../use-action.ts'
import { BookPreview } from './book-preview.tsx'
import { located, readDocument, type DocumentProblem, type PriceDocument } from './price-document.ts'
import { confirmDone } from '../../elements/toast.tsx'

interface Checked {
  errors: DocumentProblem[]
  warnings: DocumentProblem[]
}

/** Sets a new price book in two steps: first checks the document and lists all problems by line, then sets it. */
export function SetPrices({ from, onDone, onClose }: { from: PriceBook; onDone: () => void; onClose: () => void }) {
  const [text, setText] = useState(() => documentOf(from))
  const [checked, setChecked] = useState<Checked | null>(null)
  const action = useAction()
  const isRight = checked?.errors.length === 0
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void action.run(async () => {
      const read = readDocument(text)
      if ('problem' in read) return setChecked({ errors: [read.problem], warnings: [] })
      if (!isRight) return setChecked(await check(text, read.document))
      await api.post('/prices', read.document)
      onDone()
      confirmDone({ text: 'The book is set. The page says when it begins.' })
    })
  }
  return (
    <Dialog title="Set prices" wide onClose={onClose}>
      <form onSubmit={submit}>
        <Field
          label="Price document"
          hint={`JSON. Each line may name ${priceMatchers.join(', ')}, and has credits. The last line must match every call. valid_from is a future time; without it the book applies as soon as possible.`}
        >
          {(id, hintId) => (
            <textarea
              id={id}
              class="input mono document"
              aria-describedby={hintId}
              value={text}
              spellcheck={false}
              autoFocus
              onInput={(event) => {
                setText(event.currentTarget.value)
                setChecked(null)
              }}
            />
          )}
        </Field>
        {checked ? <Verdict {...checked} /> : null}
        {isRight ? <BookPreview book={JSON.parse(text) as PriceDocument} /> : null}
        <ErrorNotice error={action.error} />
        <div class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={action.busy}>
            {isRight ? 'Set this book' : 'Check'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** A price book as an editable document, one text line per price line. */
function documentOf({ lines, parts }: PriceBook): string {
  const list = (items: object[]) =>
    items.length === 0 ? '[]' : `[\n${items.map((one) => `    ${JSON.stringify(one)}`).join(',\n')}\n  ]`
  return `{\n  "lines": ${list(lines)},\n  "parts": ${list(parts)}\n}\n`
}

async function check(text: string, document: PriceDocument): Promise<Checked> {
  const at = (problem: { parameter: string; detail: string }) => located(text, document, problem)
  try {
    const { errors, warnings, more } = await api.post('/prices/check', document)
    const rest = more > 0 ? [{ line: null, text: `and ${more} more` }] : []
    const all = (problems: typeof errors) => (problems.length > 0 ? [...problems.map(at), ...rest] : [])
    return { errors: all(errors), warnings: all(warnings) }
  } catch (error) {
    if (!(error instanceof ApiError) || error.errors.length === 0) throw error
    return { errors: error.errors.map(at), warnings: [] }
  }
}

function Verdict({ errors, warnings }: Checked) {
  if (errors.length > 0)
    return (
      <Notice tone="danger">
        <Problems problems={errors} />
      </Notice>
    )
  return (
    <>
      {warnings.length > 0 ? (
        <Notice tone="warning">
          <Problems problems={warnings} />
        </Notice>
      ) : null}
      <Notice tone="good">The document is valid. “Set this book” makes it the next one.</Notice>
    </>
  )
}

function Problems({ problems }: { problems: DocumentProblem[] }) {
  return (
    <ul>
      {problems.map(({ line, text }) => (
        <li key={`${line} ${text}`}>
          <bdi>{text}</bdi>
          {line === null ? null : <span class="faint"> (row {line} of the text)</span>}
        </li>
      ))}
    </ul>
  )
}
