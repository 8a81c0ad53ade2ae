import { brightdata, brightdataDefaultUrl } from './brightdata/brightdata.ts'
import { coresignal, coresignalDefaultUrl } from './coresignal/coresignal.ts'
import { enrichlayer, enrichlayerDefaultUrl } from './enrichlayer/enrichlayer.ts'
import { harvestapi, harvestapiDefaultUrl } from './harvestapi/harvestapi.ts'
import { peopledatalabs, peopledatalabsDefaultUrl } from './peopledatalabs/peopledatalabs.ts'
import type { ProviderModule } from '@vitae/provider'

type Registration = Omit<ProviderModule, 'name'>

/** The providers that Vitae brings along. A new one is its folder and one line here. */
export const providerRegistry = {
  harvestapi: { create: harvestapi, defaultUrl: harvestapiDefaultUrl, label: 'HarvestAPI' },
  enrichlayer: { create: enrichlayer, defaultUrl: enrichlayerDefaultUrl, label: 'Enrich Layer' },
  brightdata: { create: brightdata, defaultUrl: brightdataDefaultUrl, label: 'Bright Data', timeoutMs: 60_000 },
  coresignal: { create: coresignal, defaultUrl: coresignalDefaultUrl, label: 'Coresignal' },
  peopledatalabs: { create: peopledatalabs, defaultUrl: peopledatalabsDefaultUrl, label: 'People Data Labs' },
} as const satisfies Record<string, Registration>

export type ProviderName = keyof typeof providerRegistry

/** Those of modules that the operator names. One process has one set of them, as it has one environment. */
const ofModules = new Map<string, Registration>()

/** Makes the providers of modules known, in the place of those of earlier ones. */
export function useProviderModules(modules: readonly ProviderModule[]): void {
  ofModules.clear()
  for (const module of modules) ofModules.set(module.name, module)
}

/** The names of all vendors, those of modules last. */
export function providerNames(): string[] {
  return [...Object.keys(providerRegistry), ...ofModules.keys()]
}

/** How a vendor is made, and where it is reached; null for a name that is none. */
export function findRegistration(name: string): Registration | null {
  const own: Record<string, Registration> = providerRegistry
  return ofModules.get(name) ?? (Object.hasOwn(own, name) ? (own[name] ?? null) : null)
}
