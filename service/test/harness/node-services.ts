import { onTestFinished } from 'vitest'
import type { FixedValues } from '../../src/config/fixed-values.ts'
import { ScriptedUpstream } from './scripted-provider.ts'
import { openTestService, type TestService } from './test-service.ts'
import { ownDatabase } from './scale-out-engine.ts'

export interface Services {
  services: TestService[]
  upstream: ScriptedUpstream
  databaseUrl: string
}

/**
 * Services on one database and one upstream, each with its own connection to Redis. All accept the first one's live
 * key.
 */
export async function openServices(
  redisUrls: readonly (string | null)[],
  env: Record<string, string> = {},
  databaseUrl?: string,
  fixed: Partial<FixedValues> = {},
): Promise<Services> {
  const upstream = await new ScriptedUpstream().start()
  onTestFinished(() => upstream.close())
  const url = databaseUrl ?? (await ownDatabase())
  const services: TestService[] = []
  for (const redisUrl of redisUrls) {
    const service = await openTestService({
      realClock: true,
      fixed,
      credits: services.length === 0 ? 10_000 : 0,
      env: { DATABASE_URL: url, REDIS_URL: redisUrl ?? '', ...upstream.env, ...env },
    })
    service.liveKey = services[0]?.liveKey ?? service.liveKey
    services.push(service)
  }
  return { services, upstream, databaseUrl: url }
}
