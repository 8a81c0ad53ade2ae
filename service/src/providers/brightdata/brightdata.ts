import { setTimeout as delay } from 'node:timers/promises'
import {
  type Provider,
  type ProviderAsk,
  ProviderFault,
  type ProviderSettings,
  type RawAnswer,
  type Send,
  companyPageUrl,
  endpointUrl,
  type Identifier,
  profileUrl,
  type WireRequest,
} from '@vitae/provider'
import { isPending, isReady, checkAnswer, name, snapshotIdOf, waitMsOf } from './answer.ts'
import { projectCompany } from './project-company.ts'
import { projectPerson } from './project-person.ts'
import { supplies } from './supplies.ts'
import type { Kind } from '@vitae/contract'

export const brightdataDefaultUrl = 'https://api.brightdata.com'

/** Waits as long as the answer asks, or until the caller gives up. */
async function pause(answer: RawAnswer, signal: AbortSignal): Promise<void> {
  try {
    await delay(waitMsOf(answer), undefined, { signal })
  } catch (cause) {
    throw new ProviderFault('timeout', `${name} did not finish in time`, { answer, cause })
  }
}

/**
 * Far more than any page needs. A snapshot that never becomes ready must not keep a caller without a deadline waiting.
 */
const maxPolls = 240

/** A page that takes longer than a minute becomes a snapshot, which is polled until it is ready. */
async function awaitSnapshot(settings: ProviderSettings, pending: RawAnswer, { signal }: ProviderAsk, send: Send) {
  const id = snapshotIdOf(pending)
  let last = pending
  for (let polls = 0; polls < maxPolls; polls += 1) {
    await pause(last, signal)
    last = await send(progressRequest(settings, id), signal)
    if (!isReady(last)) continue
    last = await send(snapshotRequest(settings, id), signal)
    if (!isPending(last)) return last
  }
  throw new ProviderFault('timeout', `${name} did not finish`, { answer: last })
}

/** Bright Data reads the public page on each call: directly or, if that takes long, as a snapshot. */
export function brightdata(settings: ProviderSettings): Provider {
  return {
    name,
    supplies,
    projectionVersion: 4,
    ask: async (ask, send) => {
      const answer = await send(scrapeRequest(settings, ask.identifier), ask.signal)
      return checkAnswer(isPending(answer) ? await awaitSnapshot(settings, answer, ask, send) : answer)
    },
    project: (kind, payload) => (kind === 'people' ? projectPerson(payload) : projectCompany(payload)),
  }
}

const root = '/datasets/v3'

/** The ids of the data sets for people and companies. */
const datasets: Record<Kind, string> = { people: 'gd_l1viktl72bvl7bjuj0', companies: 'gd_l1vikfnt1wgvvqz95w' }

function headers(settings: ProviderSettings): Record<string, string> {
  return { authorization: `Bearer ${settings.key}`, accept: 'application/json' }
}

/** Requests one page to be read now. Bright Data has no cache, so there is no freshness parameter. */
function scrapeRequest(settings: ProviderSettings, { kind, value }: Identifier): WireRequest {
  const url = endpointUrl(settings.url, root, '/scrape')
  url.searchParams.set('dataset_id', datasets[kind])
  url.searchParams.set('format', 'json')
  // Without this, the answer for a page that does not exist is empty and states no reason.
  url.searchParams.set('include_errors', 'true')
  const body = JSON.stringify([{ url: kind === 'people' ? profileUrl(value) : companyPageUrl(value) }])
  return { method: 'POST', url, headers: { ...headers(settings), 'content-type': 'application/json' }, body }
}

/** Requests the progress of a snapshot. */
function progressRequest(settings: ProviderSettings, snapshotId: string): WireRequest {
  const url = endpointUrl(settings.url, root, `/progress/${encodeURIComponent(snapshotId)}`)
  return { method: 'GET', url, headers: headers(settings) }
}

/** Requests the records of a snapshot. */
function snapshotRequest(settings: ProviderSettings, snapshotId: string): WireRequest {
  const url = endpointUrl(settings.url, root, `/snapshot/${encodeURIComponent(snapshotId)}`)
  url.searchParams.set('format', 'json')
  return { method: 'GET', url, headers: headers(settings) }
}
