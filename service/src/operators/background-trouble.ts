import type { AdminAnswer } from '@vitae/contract/admin'
import type { OwnedBatch } from '../batches/store/show-batch.ts'
import type { WebhookView } from '../events/webhooks/delivery/webhook.ts'
import { dayMs } from '../foundation/clock.ts'
import type { OperatorDeps } from './deps.ts'
import { readFindings } from '../lifecycle/doctor/finding.ts'

/** One item that needs an operator. */
export type Attention = AdminAnswer<'readOverview'>['attention'][number]

interface Ask {
  project: string | null
  at: number
  limit: number
}

const failedDays = 7
/** Findings that the list already shows with their current state. */
const toldAsTheyAre = new Set(['webhooks', 'parked events', 'fill rates'])

/** Background problems that need an operator: webhooks, batches, findings of the doctor. */
export async function backgroundTrouble(deps: OperatorDeps, ask: Ask): Promise<Attention[]> {
  const { project, limit } = ask
  const webhooks = await deps.store.webhooks.listWebhooks({ project, troubled: true, limit, after: null })
  return [
    ...webhooks.map(webhookTrouble),
    ...(await batchTroubles(deps, ask)),
    ...(project === null ? await lastFindings(deps) : []),
  ]
}

/** Shows only the host of a webhook, because the path of its URL may be a secret. */
function webhookTrouble({ id, url, project, environment, state, problem, parked }: WebhookView): Attention {
  const name = new URL(url).host
  const place = `A webhook of ${project}/${environment ?? 'all'}`
  const about = { kind: 'webhook' as const, id, name, project }
  if (state === 'paused')
    return {
      ...{ level: 'danger', state: 'paused', ...about, detail: `${place} is paused: ${problem ?? 'by an operator'}.` },
      advice: 'Repair the receiver, then resume the webhook: all waiting events are sent.',
    }
  if (problem !== null)
    return {
      ...{ level: 'warning', state: 'failing', ...about, detail: `${place} fails: ${problem}.` },
      advice: 'Send a test to see what the receiver answers now.',
    }
  return {
    ...{ level: 'warning', state: 'parked', ...about, detail: `${place} has ${parked} events that were given up.` },
    advice: 'Send them again, now that the receiver answers.',
  }
}

async function batchTroubles(deps: OperatorDeps, { project, at, limit }: Ask): Promise<Attention[]> {
  const any = { project, environment: null, keyId: null, before: null, limit }
  const paused = await deps.store.batches.listOwnedBatches({ ...any, status: 'paused' })
  const failed = await deps.store.batches.listOwnedBatches({ ...any, status: 'failed' })
  const lately = failed.filter(({ ended_at: ended }) => (ended ?? 0) > at - failedDays * dayMs)
  return [...paused, ...lately].map(batchTrouble)
}

function batchTrouble({ public_id: id, name, status, reason, resume_at: resumes, ...place }: OwnedBatch): Attention {
  const about = { kind: 'batch' as const, id, name: name ?? id, project: place.project, environment: place.environment }
  const of = `A batch of ${place.project}/${place.environment}`
  if (status === 'failed')
    return {
      ...{
        level: 'danger',
        state: 'failed',
        ...about,
        detail: `${of} has failed: ${reason ?? 'for no known reason'}.`,
      },
      advice: 'Download the results so far, then submit the other rows again.',
    }
  const advice =
    resumes === null ? 'Remove the cause, then resume it.' : 'It resumes by itself. To retry now, resume it.'
  const detail = `${of} is paused: ${reason ?? 'for no known reason'}.`
  return { level: 'warning', state: 'paused', ...about, detail, advice, ...(reason === null ? {} : { code: reason }) }
}

/** The stored findings of the doctor's last run. A new run would cost provider calls. */
async function lastFindings({ store }: OperatorDeps): Promise<Attention[]> {
  const findings = (await readFindings(store)).filter(({ name }) => !toldAsTheyAre.has(name))
  return findings.map(({ name, state, detail, mend }): Attention => ({
    level: state === 'error' ? 'danger' : 'warning',
    kind: 'finding',
    name: `Doctor: ${name}`,
    detail: `${detail}.`,
    advice: mend ?? 'Run the doctor for details.',
  }))
}
