import { onTestFinished } from 'vitest'
import { ScriptedUpstream } from './scripted-provider.ts'
import { openTestHouse, type TestHouse } from './test-service.ts'
import { ownDatabase } from './scale-out-engine.ts'

export interface Houses {
  houses: TestHouse[]
  upstream: ScriptedUpstream
  databaseUrl: string
}

/** Houses on one database and one upstream, each with its own way to Redis; all know the first one's live key. */
export async function openHouses(
  redisUrls: readonly (string | null)[],
  env: Record<string, string> = {},
  databaseUrl?: string,
): Promise<Houses> {
  const upstream = await new ScriptedUpstream().start()
  onTestFinished(() => upstream.close())
  const url = databaseUrl ?? (await ownDatabase())
  const houses: TestHouse[] = []
  for (const redisUrl of redisUrls) {
    const house = await openTestHouse({
      realClock: true,
      credits: houses.length === 0 ? 10_000 : 0,
      env: { DATABASE_URL: url, REDIS_URL: redisUrl ?? '', ...upstream.env, ...env },
    })
    house.liveKey = houses[0]?.liveKey ?? house.liveKey
    houses.push(house)
  }
  return { houses, upstream, databaseUrl: url }
}
