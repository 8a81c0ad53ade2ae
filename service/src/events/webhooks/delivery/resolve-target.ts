import { lookup, Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { TargetRules } from './target-addresses.ts'

/** Resolves a name to addresses. Tests pass their own. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<string[]>

/** A target that must not be connected to, with the reason for the operator. */
export class RefusedTarget extends Error {}

const dnsTimeoutMs = 4_000

/** The allowed addresses of a URL's host. The connection uses these: the name is not resolved again. */
export async function resolveTarget(
  url: URL,
  rules: TargetRules,
  resolve: Resolve,
  signal: AbortSignal,
): Promise<string[]> {
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new RefusedTarget(`${url.protocol} is neither https: nor http:`)
  const host = url.hostname.replace(/^\[(.+)\]$/, '$1')
  const addresses = isIP(host) === 0 ? await resolve(host, signal) : [host]
  const allowed = addresses.filter((address) => rules.allows(address, url.protocol))
  if (allowed.length > 0) return allowed
  throw new RefusedTarget(refusal(host, addresses, url.protocol))
}

function refusal(host: string, addresses: readonly string[], protocol: string): string {
  if (addresses.length === 0) return `${host} has no address`
  const what = addresses.every((address) => address === host) ? host : `${host} (${addresses.join(', ')})`
  return protocol === 'http:'
    ? `${what} is not in VITAE_WEBHOOK_NETWORKS, and http: is allowed only there`
    : `${what} is a private or special address that VITAE_WEBHOOK_NETWORKS does not allow`
}

/**
 * Asks the name servers without using one of Node's few threads, so that a dead name server delays nothing else. Names
 * that they do not know are resolved by the system, which also reads its hosts file and completes short names.
 */
export async function resolveName(name: string, signal: AbortSignal): Promise<string[]> {
  const resolver = new Resolver({ timeout: dnsTimeoutMs, tries: 2 })
  const cancel = () => resolver.cancel()
  signal.addEventListener('abort', cancel, { once: true })
  try {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (found.length > 0) return found
    signal.throwIfAborted()
    const failed = answers.find((answer) => answer.status === 'rejected' && !isUnknown(answer.reason))
    if (failed?.status === 'rejected') throw failed.reason
    return (await lookup(name, { all: true })).map(({ address }) => address)
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

function isUnknown(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOTFOUND' || error.code === 'ENODATA')
}
