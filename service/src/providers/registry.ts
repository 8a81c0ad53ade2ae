import { brightdata, brightdataDefaultUrl } from './brightdata/brightdata.ts'
import { coresignal, coresignalDefaultUrl } from './coresignal/coresignal.ts'
import { enrichlayer, enrichlayerDefaultUrl } from './enrichlayer/enrichlayer.ts'
import { harvestapi, harvestapiDefaultUrl } from './harvestapi/harvestapi.ts'
import { peopledatalabs, peopledatalabsDefaultUrl } from './peopledatalabs/peopledatalabs.ts'
import { readFileSync } from 'node:fs'
import type { ProviderModule } from '@vitae/provider'
import { compileProviderFile } from '@vitae/provider/files'
import { shippedNames, shippedPath } from './shipped-files.ts'

type Registration = Omit<ProviderModule, 'name'>

/** The providers that Vitae includes as code. A new one needs its folder and one line here. */
export const providerRegistry = {
  harvestapi: { create: harvestapi, defaultUrl: harvestapiDefaultUrl, label: 'HarvestAPI' },
  enrichlayer: { create: enrichlayer, defaultUrl: enrichlayerDefaultUrl, label: 'Enrich Layer' },
  brightdata: { create: brightdata, defaultUrl: brightdataDefaultUrl, label: 'Bright Data', timeoutMs: 60_000 },
  coresignal: { create: coresignal, defaultUrl: coresignalDefaultUrl, label: 'Coresignal' },
  peopledatalabs: { create: peopledatalabs, defaultUrl: peopledatalabsDefaultUrl, label: 'People Data Labs' },
} as const satisfies Record<string, Registration>

export type ProviderName = keyof typeof providerRegistry

/** Providers from the operator's modules and files. One process has one set of them, as it has one environment. */
const ofOperator = new Map<string, Registration>()
const ofFiles = new Map<string, Registration>()

/** Registers the providers of modules and files, replacing earlier ones. */
export function useProviderModules(modules: readonly ProviderModule[]): void {
  ofOperator.clear()
  for (const module of modules) ofOperator.set(module.name, module)
}

/** The names of all vendors, the operator's own last. */
export function providerNames(): string[] {
  return [...Object.keys(providerRegistry), ...shippedNames(), ...ofOperator.keys()]
}

/** The registration of a vendor; null for an unknown name. */
export function findRegistration(name: string): Registration | null {
  const own: Record<string, Registration> = providerRegistry
  return ofOperator.get(name) ?? (Object.hasOwn(own, name) ? (own[name] ?? null) : shipped(name))
}

/** Compiled on first use: most services use one or two of them. */
function shipped(name: string): Registration | null {
  if (!shippedNames().includes(name)) return null
  const known = ofFiles.get(name) ?? compileProviderFile(shippedPath(name), readFileSync(shippedPath(name), 'utf8'))
  ofFiles.set(name, known)
  return known
}
