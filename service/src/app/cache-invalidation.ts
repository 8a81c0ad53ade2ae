import type { KeyCache } from '../accounts/key-cache.ts'
import type { PriceBooks } from '../credits/prices/price-books.ts'
import type { Peers } from '../cluster/peers.ts'
import type { WebhookSender } from '../events/webhooks/sender.ts'
import type { FetchOutcomes } from '../lookup/fetch/fetch-once-across-nodes.ts'
import type { RecordCache } from '../lookup/record-cache.ts'

interface Deps {
  peers: Peers
  keyCache: KeyCache
  cache: RecordCache
  prices: Pick<PriceBooks, 'refresh'>
  fetchOutcomes: FetchOutcomes
  webhookSender: Pick<WebhookSender, 'wake'>
}

/** Acts on events of other processes. Where they cannot be heard, nothing that they could change is cached. */
export function followPeerEvents({ peers, keyCache, cache, prices, fetchOutcomes, webhookSender }: Deps): void {
  const setCaching = (connected: boolean) => {
    // Emptied at both changes: what was cached before the connection was lost may have changed meanwhile.
    keyCache.forget()
    cache.clear()
    keyCache.caching = connected
    cache.caching = connected
  }
  setCaching(peers.connected)
  peers.onConnection((connected) => {
    setCaching(connected)
    // A book that was set while nothing could be heard.
    prices.refresh()
  })
  peers.listen((item) => {
    if (item.topic === 'keys') keyCache.forget()
    else if (item.topic === 'prices') prices.refresh()
    else if (item.topic === 'fetched') fetchOutcomes.heard(item.name, item.end)
    else if (item.topic === 'events') webhookSender.wake()
    else if (item.all) cache.clear()
    else {
      for (const name of item.names) cache.forgetAlias(name)
      for (const entityId of item.entityIds) cache.forgetEntity(entityId)
    }
  })
}
