import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import type { AdminOperationId as Operation, Overview } from '@vitae/contract/admin'
import { Button } from '../../elements/button.tsx'
import { errorText } from '../../elements/notice.tsx'
import { confirmDone } from '../../elements/toast.tsx'
import { hrefTo } from '../../router.ts'
import { useSession } from '../../session.tsx'
import { useAction } from '../../use-action.ts'
import { useQuery } from '../../use-query.ts'
import { GrantCredits } from '../projects/grant-credits.tsx'
import { SetBudget, type Where } from '../projects/set-limits.tsx'

export type Item = Overview['attention'][number]

/**
 * A remedy button: its text, the right it needs, and its action: a request, a question with an answer
 * to show, a form or a link.
 */
type Remedy =
  | { verb: string; needs: Operation; send: () => Promise<unknown> }
  | { verb: string; needs: Operation; ask: () => Promise<string> }
  | { verb: string; needs: Operation; form: 'grant' | 'budget' }
  | { verb: string; needs: Operation; href: string }

/** The console page that shows the subject of an item. */
export function placeOf({ kind, id = '', project = '', environment = '', key_id: key = '', code = '' }: Item): string {
  if (kind === 'provider') return hrefTo(['providers'])
  if (kind === 'webhook') return hrefTo(['webhooks', id])
  if (kind === 'batch') return hrefTo(['batches', id])
  if (kind === 'failures') return hrefTo(['calls'], { project, environment, code, time: 'hour' })
  if (kind === 'backup' || kind === 'work') return hrefTo(['operations', 'backups'])
  if (kind === 'disk' || kind === 'clock' || kind === 'finding') return hrefTo(['operations', 'doctor'])
  return hrefTo(kind === 'key' ? ['projects', 'key', key] : ['projects', 'in', project, environment])
}

function remedyOf(item: Item): Remedy | null {
  const { id = '' } = item
  const href = placeOf(item)
  switch (item.kind) {
    case 'environment':
      return { verb: 'Grant credits', needs: 'grantCredits', form: 'grant' }
    case 'budget':
      return { verb: 'Change the budget', needs: 'setBudget', form: 'budget' }
    case 'key':
      return { verb: 'Raise the ceiling', needs: 'updateKey', href: `${href}?do=edit` }
    case 'webhook':
      return webhookRemedy(item.state, id)
    case 'batch':
      if (item.state === 'failed') return { verb: 'Open the batch', needs: 'showBatch', href }
      if (item.code === 'max_credits_reached')
        return { verb: 'Raise the limit', needs: 'resumeBatch', href: `${href}?do=resume` }
      return { verb: 'Resume', needs: 'resumeBatch', send: () => api.post('/batches/:id/resume', { id }) }
    case 'failures':
      return { verb: 'See the calls', needs: 'listCalls', href }
    case 'provider':
      if (item.state !== 'paused') return { verb: 'See the provider', needs: 'listProviders', href }
      return { verb: 'Resume', needs: 'resumeProvider', send: () => api.post('/providers/:name/resume', { name: id }) }
    case 'backup':
      return { verb: 'Make a backup', needs: 'makeBackup', send: () => api.post('/backups') }
    case 'work':
      return { verb: 'See the backups', needs: 'listBackups', href }
    case 'disk':
    case 'clock':
    case 'finding':
      return { verb: 'Run the doctor again', needs: 'runDoctor', send: () => api.get('/doctor') }
  }
}

function webhookRemedy(state: Item['state'], id: string): Remedy {
  if (state === 'paused')
    return { verb: 'Resume', needs: 'updateWebhook', send: () => api.patch('/webhooks/:id', { id, state: 'active' }) }
  if (state === 'failing') return { verb: 'Send a test', needs: 'testWebhook', ask: () => sendTest(id) }
  return {
    verb: 'Send them again',
    needs: 'retryParkedEvents',
    send: () => api.post('/webhooks/:id/parked/retry', { id }),
  }
}

async function sendTest(id: string): Promise<string> {
  const { outcome, status, answer } = await api.post('/webhooks/:id/test', { id })
  if (outcome === 'delivered') return 'The receiver took the test event.'
  return `The test event was not accepted: ${status === null ? answer : `the receiver answered ${status}`}.`
}

/** The remedy button of an attention item; renders nothing for users without the right. */
export function AttentionAction({ item, onDone }: { item: Item; onDone: () => void }) {
  const { capabilities } = useSession()
  const [isOpen, setOpen] = useState(false)
  const action = useAction()
  const remedy = remedyOf(item)
  if (!remedy || !capabilities.includes(remedy.needs)) return null
  const label = `${remedy.verb}: ${item.name}`
  if ('href' in remedy)
    return (
      <a class="button plain small" href={remedy.href} aria-label={label}>
        {remedy.verb}
      </a>
    )
  const press = () => {
    if ('form' in remedy) setOpen(true)
    else
      void action.run(async () => {
        const text =
          'ask' in remedy ? await remedy.ask() : (await remedy.send(), `${remedy.verb} (${item.name}): done.`)
        onDone()
        confirmDone({ text, link: { text: 'Show', href: placeOf(item) } })
      })
  }
  const where = { project: item.project ?? '', environment: item.environment ?? '' }
  const forms = {
    onDone: () => {
      setOpen(false)
      onDone()
    },
    onClose: () => setOpen(false),
  }
  return (
    <div class="remedy">
      <Button small busy={action.busy} label={label} onClick={press}>
        {remedy.verb}
      </Button>
      {action.error ? <span class="error-text">{errorText(action.error)}</span> : null}
      {isOpen && 'form' in remedy && remedy.form === 'grant' ? <GrantCredits {...where} {...forms} /> : null}
      {isOpen && 'form' in remedy && remedy.form === 'budget' ? <BudgetForm where={where} {...forms} /> : null}
    </div>
  )
}

/** Loads the balance first, because the form starts with the current budget. */
function BudgetForm({ where, ...forms }: { where: Where; onDone: () => void; onClose: () => void }) {
  const balance = useQuery(`balance of ${where.project}/${where.environment}`, (signal) =>
    api.get('/credits/balance', { ...where }, signal),
  )
  return balance.data ? <SetBudget where={where} balance={balance.data} {...forms} /> : null
}
