import { units, type Kind } from '../../contract/src/index.ts'
import type { Provider } from '../../provider/src/index.ts'
import { findRegistration, providerNames, type ProviderName } from '../../service/src/providers/registry.ts'

const kinds = ['people', 'companies'] as const
const certainties = ['seen_live', 'documented', 'inferred'] as const
type Certainty = (typeof certainties)[number]

interface Facts {
  certainty: Certainty
  billed: string
  freshness: string
}

/** Facts of the five that their code does not say. No live account was asked: `service/src/providers/README.md`. */
const ofCode: Record<ProviderName, Facts> = {
  harvestapi: { certainty: 'documented', billed: 'in the answer', freshness: 'every call reads the page' },
  enrichlayer: {
    certainty: 'inferred',
    billed: 'in the answer, misses too',
    freshness: '`max_age_days`, `bypass_cache`',
  },
  brightdata: { certainty: 'documented', billed: 'per record, not said', freshness: 'every call reads the page' },
  coresignal: { certainty: 'inferred', billed: 'if found, not said', freshness: 'a data set' },
  peopledatalabs: { certainty: 'documented', billed: 'in the answer', freshness: 'a monthly data set' },
}

interface Row extends Facts {
  name: string
  label: string
  provider: Provider
  by: Record<Kind, string>
}

/** Every provider that Vitae ships, and what is known of it. */
function rows(): Row[] {
  return providerNames().flatMap((name): Row[] => {
    const known = findRegistration(name)
    if (!known) return []
    const provider = known.create({ url: known.defaultUrl, key: '' })
    const { facts } = known
    const own = facts
      ? {
          certainty: facts.certainty,
          billed: billedText(facts.billed),
          freshness: facts.takesMaxAge ? '`max_age_days`' : 'no parameter',
        }
      : ofCode[name as ProviderName]
    const by = (kind: Kind) => (facts ? facts.by[kind] : askedBy(provider, kind)).join(', ') || '-'
    return [{ name, label: known.label, provider, by: { people: by('people'), companies: by('companies') }, ...own }]
  })
}

function billedText({ people, companies }: Record<Kind, string | null>): string {
  const isOne = people === null || companies === null || people === companies
  return isOne ? (people ?? companies ?? 'not known') : `people ${people}; companies ${companies}`
}

function askedBy({ asksByDomain, refusesOpaqueIds, matchesBy }: Provider, kind: Kind): string[] {
  const ids =
    kind === 'people'
      ? ['slug', ...(refusesOpaqueIds ? [] : ['opaque'])]
      : ['slug', 'number', ...(asksByDomain ? ['domain'] : [])]
  return [...new Set([...ids, ...(matchesBy?.[kind] ?? []).map((signals) => signals.join('+'))])]
}

function suppliedUnits({ supplies }: Provider, kind: Kind): string {
  const has = (name: string) => [...supplies[kind]].some((path) => path === name || path.startsWith(`${name}.`))
  return units[kind].flatMap(({ name }) => (has(name) ? name : [])).join(', ') || '-'
}

/** The reference page of all shipped providers. */
export function providerTable(): string {
  const all = rows()
  return `# Providers

${countedProviders('../../')} Your own providers come [as a file or a module](../guides/adding-a-provider.md).

- *seen live*: somebody here has called the vendor. *Documented*: every fact stands in the vendor's documentation. *Inferred*: some fact
  was concluded from public code or answers.
- \`slug\`, \`opaque\` and \`number\` are identifiers of the platform. The others are [matches](../guides/matching.md).
- *Freshness* is what a request can ask of the vendor's own cache.

| provider | \`VITAE_UPSTREAM\` | people by | companies by | billed, in its credits | freshness | certainty |
|---|---|---|---|---|---|---|
${all
  .map(({ name, label, by, billed, freshness, certainty }) =>
    [`| ${label}`, `\`${name}\``, by.people, by.companies, billed, freshness, `${words[certainty]} |`].join(' | '),
  )
  .join('\n')}

${kinds
  .map(
    (kind) => `## What they supply of ${kind}

| provider | fields | units |
|---|---|---|
${all
  .filter(({ by }) => by[kind] !== '-')
  .map(({ label, provider }) => `| ${label} | ${provider.supplies[kind].size} | ${suppliedUnits(provider, kind)} |`)
  .join('\n')}`,
  )
  .join('\n\n')}
`
}

const words: Record<Certainty, string> = { seen_live: 'seen live', documented: 'documented', inferred: 'inferred' }

const sources: Record<Certainty, string> = {
  seen_live: 'were checked against live answers',
  documented: 'follow the documentation of the vendor',
  inferred: 'are inferred from other sources',
}

/** One sentence that counts the providers by how certain their facts are. */
export function countedProviders(root: string): string {
  const all = rows()
  const counts = certainties.map((one) => `${all.filter(({ certainty }) => certainty === one).length} ${sources[one]}`)
  const files = all.length - Object.keys(ofCode).length
  return `Vitae ships ${all.length} providers, ${files} of them as [files](${root}service/providers). Of these, ${counts.join(', ')}.`
}
