import type { Kind } from '@vitae/contract'
import { everyField } from './contract-shape/every-field.ts'
import type { ProvidersConfig } from './open-providers.ts'
import type { FileFacts, Identifier, Supplies } from '@vitae/provider'
import type { Confirmation } from './confirm-provider.ts'
import { findRegistration, providerNames } from './registry.ts'
import type { ProviderState } from './chain/chain.ts'
import type { ProviderCheck } from './check-provider.ts'

/** The sources of records, for operators. */
export interface Providers {
  facts: readonly ProviderFacts[]
  /** The currency of costs. */
  currency: string
  states(): ProviderState[]
  /** Makes one cheap call; the name must be one of the facts. */
  check(name: string): Promise<ProviderCheck>
  /** Asks for one record, and shows the whole exchange. */
  confirm(name: string, identifier: Identifier): Promise<Confirmation>
}

/** The facts about a provider that are known without asking it. */
export interface ProviderFacts {
  name: string
  label: string
  /** It has all settings that it needs. */
  configured: boolean
  inChain: boolean
  supplies: Record<Kind, string[]>
  /** Calls per month; null = no limit. */
  budget: number | null
  /** Money per answered call; null if the operator has set no price. */
  cost: number | null
  /** Set for a provider file. */
  file: FileFacts | null
}

/** Every provider that Vitae supports, configured or not; those of the chain first, in its order. */
export function describeProviders({ chain, settings }: ProvidersConfig): ProviderFacts[] {
  const facts = (
    name: string,
    label: string,
    supplies: Supplies,
    configured: boolean,
    file: FileFacts | null = null,
  ) => ({
    name,
    label,
    configured,
    inChain: chain.includes(name),
    supplies: { people: [...supplies.people], companies: [...supplies.companies] },
    budget: settings[name]?.monthlyBudget ?? null,
    cost: settings[name]?.cost ?? null,
    file,
  })
  const all = [
    facts('directory', 'Directory of files', everyField, true),
    facts('mirror', 'Another Vitae', everyField, Boolean(settings['mirror']?.url && settings['mirror'].key)),
    ...providerNames().flatMap((name) => {
      const vendor = findRegistration(name)
      if (!vendor) return []
      const { supplies } = vendor.create({ url: vendor.defaultUrl, key: '' })
      return facts(name, vendor.label, supplies, Boolean(settings[name]?.key), vendor.facts ?? null)
    }),
  ]
  const place = (name: string) => (chain.includes(name) ? chain.indexOf(name) : chain.length)
  return all.toSorted((a, b) => place(a.name) - place(b.name))
}
