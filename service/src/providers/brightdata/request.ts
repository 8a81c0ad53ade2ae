import type { Kind } from '@vitae/contract'
import {
  companyPageUrl,
  endpointUrl,
  type Identifier,
  profileUrl,
  type ProviderSettings,
  type WireRequest,
} from '@vitae/provider'

const root = '/datasets/v3'

/** The data sets that hold people and companies. */
const datasets: Record<Kind, string> = { people: 'gd_l1viktl72bvl7bjuj0', companies: 'gd_l1vikfnt1wgvvqz95w' }

function headers(settings: ProviderSettings): Record<string, string> {
  return { authorization: `Bearer ${settings.key}`, accept: 'application/json' }
}

/** Asks for one page to be read now. Bright Data has no cache, so there is no flag for freshness. */
export function scrapeRequest(settings: ProviderSettings, { kind, value }: Identifier): WireRequest {
  const url = endpointUrl(settings.url, root, '/scrape')
  url.searchParams.set('dataset_id', datasets[kind])
  url.searchParams.set('format', 'json')
  // Without it, the answer for a page that does not exist is empty and does not say why.
  url.searchParams.set('include_errors', 'true')
  const body = JSON.stringify([{ url: kind === 'people' ? profileUrl(value) : companyPageUrl(value) }])
  return { method: 'POST', url, headers: { ...headers(settings), 'content-type': 'application/json' }, body }
}

/** Asks how far a snapshot is. */
export function progressRequest(settings: ProviderSettings, snapshotId: string): WireRequest {
  const url = endpointUrl(settings.url, root, `/progress/${encodeURIComponent(snapshotId)}`)
  return { method: 'GET', url, headers: headers(settings) }
}

/** Asks for the records of a snapshot. */
export function snapshotRequest(settings: ProviderSettings, snapshotId: string): WireRequest {
  const url = endpointUrl(settings.url, root, `/snapshot/${encodeURIComponent(snapshotId)}`)
  url.searchParams.set('format', 'json')
  return { method: 'GET', url, headers: headers(settings) }
}
