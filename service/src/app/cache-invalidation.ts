import type { KeyRing } from '../accounts/key-cache.ts'
import type { Neighbours } from '../cluster/peers.ts'
import type { FetchNews } from '../lookup/fetch/fetch-outcomes.ts'
import type { RecordCache } from '../lookup/record-cache.ts'

interface Needs {
  neighbours: Neighbours
  keyRing: KeyRing
  cache: RecordCache
  fetchNews: FetchNews
}

/** Acts on what other processes tell. Where they cannot be heard, nothing that they could change is cached. */
export function hearNeighbours({ neighbours, keyRing, cache, fetchNews }: Needs): void {
  const setCaching = (connected: boolean) => {
    // Emptied both ways: what was cached before a silence may have changed during it.
    keyRing.forget()
    cache.clear()
    keyRing.caching = connected
    cache.caching = connected
  }
  setCaching(neighbours.connected)
  neighbours.onConnection(setCaching)
  neighbours.listen((item) => {
    if (item.topic === 'keys') keyRing.forget()
    else if (item.topic === 'fetched') fetchNews.heard(item.name, item.end)
    else if (item.all) cache.clear()
    else {
      for (const name of item.names) cache.forgetAlias(name)
      for (const entityId of item.entityIds) cache.forgetEntity(entityId)
    }
  })
}
