import type { Kind } from '@vitae/contract'
import { useEffect, useRef, useState } from 'preact/hooks'
import { api } from '../../api.ts'
import type { BatchPreview } from '@vitae/contract/admin'
import { Button } from '../../elements/button.tsx'
import { CheckField, SelectField, TextField } from '../../elements/field.tsx'
import { ErrorNotice } from '../../elements/notice.tsx'
import { Back, PageHead, Panel } from '../../elements/page-head.tsx'
import { Loaded } from '../../elements/states.tsx'
import { formatCredits } from '../../format.ts'
import { goTo, hrefTo } from '../../router.ts'
import { useAction } from '../../use-action.ts'
import { useQuery } from '../../use-query.ts'
import { BatchPrice, creditsAtMost } from './batch-price.tsx'
import { FileChoice } from './file-choice.tsx'
import { KeyChoice } from './key-choice.tsx'
import type { ReadFile } from './read-file.ts'

/** Submits a batch: choose a file and its id column, see the cost, then confirm. */
export function NewBatch({ keyId }: { keyId: string | null }) {
  const query = useQuery(`payer ${keyId}`, async (signal) =>
    keyId === null ? { project: '', id: '' } : api.get('/keys/:id', { id: keyId }, signal),
  )
  return (
    <>
      <Back to={['batches']}>Batches</Back>
      <PageHead title="New batch">
        Choose a file and see what it costs. Nothing is looked up or paid before you confirm.
      </PageHead>
      <Loaded query={query}>{({ project, id }) => <BatchForm payer={{ project, keyId: id }} />}</Loaded>
    </>
  )
}

interface Wish {
  file: ReadFile | null
  column: string
  project: string
  keyId: string
  kind: Kind
  name: string
  most: string
  maxAge: string
  contact: boolean
}

const kinds = [
  ['people', 'People'],
  ['companies', 'Companies'],
] as const

function BatchForm({ payer }: { payer: { project: string; keyId: string } }) {
  const [wish, setWish] = useState<Wish>({ ...blank, ...payer })
  const [price, setPrice] = useState<BatchPreview | null>(null)
  // The key changes only with the form, so that resubmitting after a lost response creates no second batch.
  const idempotencyKey = useRef(crypto.randomUUID())
  const sending = useRef<AbortController | null>(null)
  const action = useAction()
  useEffect(() => () => sending.current?.abort(), [])
  const set = (change: Partial<Wish>) => {
    sending.current?.abort()
    idempotencyKey.current = crypto.randomUUID()
    setPrice(null)
    action.clear()
    setWish((old) => ({ ...old, ...change }))
  }
  const send = async () => {
    const { file } = wish
    if (!file) return
    const abort = new AbortController()
    sending.current = abort
    const path = price ? '/batches' : '/batches/preview'
    const options = { idempotencyKey: idempotencyKey.current, signal: abort.signal }
    await action.run(async () => {
      await stillThere(file)
      const answer = await api.upload(path, queryOf(wish), file.body, options)
      if ('id' in answer) goTo(hrefTo(['batches', answer.id]))
      else setPrice(answer)
    })
  }
  const most = wish.most === '' ? null : Number(wish.most)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <FileChoice
        file={wish.file}
        column={wish.column}
        onChoose={(file, column) => set({ file, column, ...(file ? { name: file.name } : {}) })}
      />
      <Settings wish={wish} set={set} />
      <Panel title="Cost">
        <div class="panel-body">
          {price ? <BatchPrice price={price} most={most} /> : null}
          <ErrorNotice error={sending.current?.signal.aborted ? null : action.error} />
          <div class="actions">
            <Button
              kind="primary"
              type="submit"
              busy={action.busy}
              disabled={wish.file === null || wish.column === '' || wish.keyId === ''}
            >
              {price ? `Look up for at most ${formatCredits(creditsAtMost(price, most))}` : 'Show the cost'}
            </Button>
            {action.busy ? <Button onClick={() => sending.current?.abort()}>Stop</Button> : null}
          </div>
        </div>
      </Panel>
    </form>
  )
}

const blank: Wish = {
  file: null,
  column: '',
  project: '',
  keyId: '',
  kind: 'people',
  name: '',
  most: '',
  maxAge: '',
  contact: false,
}

function Settings({ wish, set }: { wish: Wish; set: (change: Partial<Wish>) => void }) {
  return (
    <Panel title="Lookup">
      <div class="panel-body">
        <KeyChoice project={wish.project} keyId={wish.keyId} onChoose={(project, keyId) => set({ project, keyId })} />
        <div class="form-row">
          <SelectField label="Look up" value={wish.kind} options={kinds} onChange={(kind) => set({ kind })} />
          <TextField label="Name (optional)" value={wish.name} onInput={(name) => set({ name })} />
        </div>
        <div class="form-row">
          <TextField
            label="Maximum credits (optional)"
            type="number"
            min={0}
            value={wish.most}
            onInput={(most) => set({ most })}
            hint="The batch pauses before it spends more."
          />
          <TextField
            label="Maximum age in days (optional)"
            type="number"
            min={0}
            value={wish.maxAge}
            onInput={(maxAge) => set({ maxAge })}
            hint="0 fetches everything again."
          />
        </div>
        {wish.kind === 'people' ? (
          <CheckField label="With contact details" checked={wish.contact} onChange={(contact) => set({ contact })} />
        ) : null}
      </div>
    </Panel>
  )
}

function queryOf({ column, keyId, kind, name, most, maxAge, contact }: Wish) {
  return {
    key_id: keyId,
    kind,
    column,
    name: name.trim(),
    max_credits: most,
    max_age_days: maxAge,
    include_contact_info: contact && kind === 'people' ? true : null,
  }
}

/** Detects a file that changed since it was chosen. Browsers refuse to send it and report a network error. */
async function stillThere({ body }: ReadFile): Promise<void> {
  try {
    await body.slice(0, 1).arrayBuffer()
  } catch {
    throw new Error('The file was changed or removed since it was chosen. Choose it again.')
  }
}
