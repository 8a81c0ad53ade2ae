import type { Company, Person } from '@vitae/contract'
import { type Projection, type Provider, type ProviderAsk, ProviderFault, type Verdict } from '@vitae/provider'

/**
 * The record in a found answer, or `ProviderFault('invalid')`: one with neither a name nor an identity is no record,
 * and a mapping that breaks on a payload is that provider's outage, so that a stored copy can still serve.
 */
export function usableProjection(provider: Provider, ask: ProviderAsk, verdict: Verdict): Projection {
  const { answer, sourceUpdatedAt } = verdict
  const projection = projected(provider, ask, verdict)
  if (isNobody(projection)) {
    throw new ProviderFault('invalid', `${provider.name} sent a record without name and identity`, { answer })
  }
  return { ...projection, sourceUpdatedAt: sourceUpdatedAt ?? projection.sourceUpdatedAt }
}

/** True for a record with neither a name nor an identity. */
export function isNobody({ identity, record }: Projection): boolean {
  return identity.derived && identity.aliases.length === 0 && !hasName(record)
}

function projected(provider: Provider, { identifier }: ProviderAsk, { answer }: Verdict): Projection {
  try {
    return provider.project(identifier.kind, answer.body)
  } catch (cause) {
    const message =
      cause instanceof ProviderFault ? cause.message : `${provider.name} sent a record that cannot be mapped`
    throw new ProviderFault('invalid', message, { answer, cause })
  }
}

function hasName(record: Person | Company): boolean {
  const names = 'company_name' in record ? [record.company_name] : [record.first_name, record.last_name]
  return names.some((name) => name !== null && name.trim() !== '')
}
