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

/** The providers that Vitae brings along as code. A new one is its folder and one line here. */
export const providerRegistry = {
  harvestapi: { create: harvestapi, defaultUrl: harvestapiDefaultUrl, label: 'HarvestAPI' },
  enrichlayer: { create: enrichlayer, defaultUrl: enrichlayerDefaultUrl, label: 'Enrich Layer' },
  brightdata: { create: brightdata, defaultUrl: brightdataDefaultUrl, label: 'Bright Data', timeoutMs: 60_000 },
  coresignal: { create: coresignal, defaultUrl: coresignalDefaultUrl, label: 'Coresignal' },
  peopledatalabs: { create: peopledatalabs, defaultUrl: peopledatalabsDefaultUrl, label: 'People Data Labs' },
} as const satisfies Record<string, Registration>

export type ProviderName = keyof typeof providerRegistry

/** Those of modules and files that the operator names. One process has one set of them, as it has one environment. */
const ofOperator = new Map<string, Registration>()
const ofFiles = new Map<string, Registration>()

/** Makes the providers of modules and files known, in the place of those of earlier ones. */
export function useProviderModules(modules: readonly ProviderModule[]): void {
  ofOperator.clear()
  for (const module of modules) ofOperator.set(module.name, module)
}

/** The names of all vendors, those that the operator brings last. */
export function providerNames(): string[] {
  return [...Object.keys(providerRegistry), ...shippedNames(), ...ofOperator.keys()]
}

/** How a vendor is made, and where it is reached; null for a name that is none. */
export function findRegistration(name: string): Registration | null {
  const own: Record<string, Registration> = providerRegistry
  return ofOperator.get(name) ?? (Object.hasOwn(own, name) ? (own[name] ?? null) : shipped(name))
}

/** Compiled when it is first asked for: most services use one or two of them. */
function shipped(name: string): Registration | null {
  if (!shippedNames().includes(name)) return null
  const known = ofFiles.get(name) ?? compileProviderFile(shippedPath(name), readFileSync(shippedPath(name), 'utf8'))
  ofFiles.set(name, known)
  return known
}
