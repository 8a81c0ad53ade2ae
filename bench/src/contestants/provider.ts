import type { FakeProvider } from '../../../service/fake-provider/fake-provider.ts'
import { startFakeProvider } from '../../../service/fake-provider/start-fake-provider.ts'

/** The settings that make Vitae fetch from the fake provider. */
export function upstreamOf(provider: FakeProvider): Record<string, string> {
  return {
    VITAE_UPSTREAM: 'mirror',
    VITAE_MIRROR_URL: provider.url,
    VITAE_MIRROR_KEY: provider.key,
    VITAE_UPSTREAM_CONCURRENCY: '2000',
  }
}

/**
 * A provider that answers everything after a delay. It runs in this process, on the load's core, and counts its calls.
 */
export function startProvider(latencyMs: number): Promise<FakeProvider> {
  return startFakeProvider({ provider: 'mirror', latencyMs })
}
