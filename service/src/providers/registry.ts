import { brightdata, brightdataDefaultUrl } from './brightdata/brightdata.ts'
import { coresignal, coresignalDefaultUrl } from './coresignal/coresignal.ts'
import { enrichlayer, enrichlayerDefaultUrl } from './enrichlayer/enrichlayer.ts'
import { harvestapi, harvestapiDefaultUrl } from './harvestapi/harvestapi.ts'
import { peopledatalabs, peopledatalabsDefaultUrl } from './peopledatalabs/peopledatalabs.ts'
import type { Provider, ProviderSettings } from '@vitae/provider'

interface Registration {
  create(settings: ProviderSettings): Provider
  defaultUrl: string
  /** The name as the company behind it writes it. */
  label: string
  /** Time for one attempt unless the operator sets one, where the provider is known to need more than others. */
  timeoutMs?: number
}

/** Every provider Vitae can speak to. A new one is its folder and one line here. */
export const providerRegistry = {
  harvestapi: { create: harvestapi, defaultUrl: harvestapiDefaultUrl, label: 'HarvestAPI' },
  enrichlayer: { create: enrichlayer, defaultUrl: enrichlayerDefaultUrl, label: 'Enrich Layer' },
  brightdata: { create: brightdata, defaultUrl: brightdataDefaultUrl, label: 'Bright Data', timeoutMs: 60_000 },
  coresignal: { create: coresignal, defaultUrl: coresignalDefaultUrl, label: 'Coresignal' },
  peopledatalabs: { create: peopledatalabs, defaultUrl: peopledatalabsDefaultUrl, label: 'People Data Labs' },
} as const satisfies Record<string, Registration>

export type ProviderName = keyof typeof providerRegistry

export const providerNames = Object.keys(providerRegistry) as ProviderName[]

/** The time for one attempt that a provider has by itself; null where the general setting holds. */
export function defaultTimeoutMs(name: string): number | null {
  const registry: Record<string, Registration> = providerRegistry
  return registry[name]?.timeoutMs ?? null
}
