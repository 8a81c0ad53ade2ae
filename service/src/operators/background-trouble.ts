import type { AdminAnswer } from '@vitae/contract/admin'
import type { OwnedBatch } from '../batches/store/operator-batches.ts'
import type { WebhookView } from '../events/webhooks/webhook.ts'
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
const spikeMs = 15 * 60_000
const spikeFailures = 10
const spikePart = 0.1
/** Findings that the list already shows with their current state. */
const toldAsTheyAre = new Set(['webhooks', 'parked events', 'fill rates'])

/** Background problems that need an operator: webhooks, batches, spikes of failing calls, findings of the doctor. */
export async function backgroundTrouble(deps: OperatorDeps, ask: Ask): Promise<Attention[]> {
  const { project, limit } = ask
  const webhooks = await deps.store.listWebhooks({ project, troubled: true, limit, after: null })
  return [
    ...(await failureSpike(deps, ask)),
    ...webhooks.map(webhookTrouble),
    ...(await batchTroubles(deps, ask)),
    ...(project === null ? await lastFindings(deps) : []),
  ]
}

async function failureSpike(deps: OperatorDeps, { project, at }: Ask): Promise<Attention[]> {
  const { calls, failures, code } = await deps.store.recentFailures({ project, since: at - spikeMs })
  if (failures < spikeFailures || failures < calls * spikePart) return []
  const detail = `${failures} of ${calls} calls failed in the last 15 minutes, most with ${code ?? 'no code'}.`
  const advice = 'Open one of them: its receipt says which provider failed, and how.'
  return [{ level: 'danger', kind: 'failures', name: 'Failing calls', detail, advice, ...(code ? { code } : {}) }]
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
  const paused = await deps.store.listOwnedBatches({ ...any, status: 'paused' })
  const failed = await deps.store.listOwnedBatches({ ...any, status: 'failed' })
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
  return { level: 'warning', state: 'paused', ...about, detail, advice }
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
