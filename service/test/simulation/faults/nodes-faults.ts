import type { Fault } from './fault.ts'

const build = 'app/build-service.ts'

/** Mistakes that only occur with several nodes on one store. */
export const nodesFaults: readonly Fault[] = [
  {
    name: 'a key that another node has ended stays in the cache',
    file: build,
    in: 'followPeerEvents',
    find: "if (item.topic === 'keys') {\n  keyCache.forget()\n  callCounts.forget()\n} else $rest",
    replace: "if (item.topic === 'keys') callCounts.forget()\nelse $rest",
  },
  {
    name: 'the other nodes are not notified of an erasure',
    file: 'app/deps/operator-deps.ts',
    in: 'recordsChanged',
    find: "await peers.notify({ topic: 'records', names: [], entityIds: [], all: true })",
    replace: 'void peers',
  },
  {
    name: 'a node that was frozen answers from its cache when it wakes',
    file: build,
    in: 'followPeerEvents',
    find: 'peers.connected && peers.isWaitedFor',
    replace: 'peers.connected',
  },
  {
    name: 'a node that was considered dead keeps its cache',
    file: 'cluster/redis-peers.ts',
    in: 'constructor',
    find: 'nodeRegistry.onReturn(voidAll)',
    replace: 'void voidAll',
  },
  {
    name: 'an alarm does not invalidate the cache',
    file: 'cluster/redis-peers.ts',
    in: 'constructor',
    find: 'nodeRegistry.onAlarm({ heard: voidAll })',
    replace: 'nodeRegistry.onAlarm({ heard: () => undefined })',
  },
  {
    name: 'a node keeps its copy of a record that another one has fetched again',
    file: build,
    in: 'followPeerEvents',
    find: 'for (const entityId of item.entityIds) cache.forgetEntity(entityId)',
    replace: 'void item.entityIds',
  },
  {
    name: 'a node that takes over a fetch serves a person who was fetched meanwhile',
    file: 'lookup/fetch/fetch-once-across-nodes.ts',
    in: 'keptSince',
    find: 'return lacksOf(judged, demands).length === 0 ? judged : null',
    replace: 'return judged',
  },
]
