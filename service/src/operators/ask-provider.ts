import type { AdminBody } from '@vitae/contract/admin'
import { parseIdentifier } from '../records/identifiers/parse-identifier.ts'
import { utcMonth } from '../foundation/clock.ts'
import { Failure } from '../foundation/failure.ts'
import type { OperatorDeps } from './deps.ts'

/** Finds the facts of a provider, or fails with 404 and the known names. */
export function factsOf({ providers }: Pick<OperatorDeps, 'providers'>, name: string) {
  const facts = providers.facts.find((known) => known.name === name)
  if (facts) return facts
  const names = providers.facts.map((known) => known.name).join(', ')
  throw new Failure('not_found', { detail: `There is no provider ${name}; there are ${names}.` })
}

/** Sends a provider one cheap request, which counts against its budget. */
export async function checkProvider(deps: OperatorDeps, actor: string, name: string) {
  if (!factsOf(deps, name).configured) {
    const detail = `Set VITAE_${name.toUpperCase()}_KEY${name === 'mirror' ? ' and VITAE_MIRROR_URL' : ''}.`
    return { ok: false, verdict: 'not_configured' as const, detail, durationMs: 0 }
  }
  const at = deps.clock.now()
  if (name !== 'directory') await countCall(deps, name, at)
  const checked = await deps.providers.check(name)
  const after = { verdict: checked.verdict }
  await deps.store.audit.recordAudit({ at, actor, action: 'provider.check', subject: name, after })
  return checked
}

/** Fetches one record through a provider file; the file counts as confirmed if the response fits it. */
export async function confirmProvider(
  deps: OperatorDeps,
  actor: string,
  name: string,
  { kind, id }: AdminBody<'confirmProvider'>,
) {
  const { file, configured } = factsOf(deps, name)
  if (!file)
    throw new Failure('invalid_request', { detail: `${name} is not a provider file, so it needs no confirmation.` })
  if (!configured) throw new Failure('invalid_request', { detail: `Set VITAE_${name.toUpperCase()}_KEY.` })
  const at = deps.clock.now()
  const identifier = parseIdentifier(kind === 'company' ? 'companies' : 'people', id, deps.platformHosts)
  await countCall(deps, name, at)
  const { unsaid, ...shown } = await deps.providers.confirm(name, identifier)
  if (shown.ok) await deps.store.providers.confirmProvider({ provider: name, digest: file.digest, actor, at })
  return { ...shown, unsaid: [...unsaid] }
}

function countCall({ callCounts }: OperatorDeps, provider: string, at: number) {
  return callCounts.spend({ provider, month: utcMonth(at), limit: null })
}
