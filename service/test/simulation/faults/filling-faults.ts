import type { Fault } from './fault.ts'

const planning = 'records/filling/plan-fills.ts'
const rows = 'records/versions/fold-rows.ts'

/** Mistakes about records that several answers fill. */
export const fillingFaults: readonly Fault[] = [
  {
    name: 'an excluded provider fills',
    file: 'lookup/recall/applicable-fills.ts',
    in: 'isOnRoute',
    find: 'mayUse(route, provider) && (fold?.fills.every((fill) => mayUse(route, fill.provider)) ?? true)',
    replace: 'mayUse(route, provider) && (fold?.fills.length ?? 0) >= 0',
  },
  {
    name: 'a deleted summary comes back from an older answer',
    file: planning,
    in: 'planFills',
    find: "const source = newestFirst.find(({ states }) => stateAt(states, place) !== 'u')",
    replace: "const source = newestFirst.find(({ states }) => stateAt(states, place) === 'v')",
  },
  {
    name: 'a unit that the base states as empty is filled',
    file: planning,
    in: 'planFills',
    find: "if (stateAt(base.states, place) !== 'u') return []",
    replace: "if (stateAt(base.states, place) === 'v') return []",
  },
  {
    name: 'a stranger fills',
    file: rows,
    in: 'planAmongNamesakes',
    find: 'if (namesContradict(kind, await bodies.get(baseId), await bodies.get(id))) strangers.add(id)',
    replace: 'if (id < 0 && namesContradict(kind, await bodies.get(baseId), await bodies.get(id))) strangers.add(id)',
  },
  {
    name: 'a replay returns another fold',
    file: 'lookup/answer-lookup.ts',
    in: 'recordOf',
    find: 'if (hot && hot.versionId === versionId && (hot.fold?.id ?? null) === foldId) return hot',
    replace: 'if (hot && hot.versionId === versionId) return hot',
  },
  {
    name: 'an erased unit stays in a fold',
    file: 'lifecycle/store/erasure/erase-entity.ts',
    in: 'removeEntities',
    find: 'await removeFoldsOf(tx, ids)',
    replace: 'void removeFoldsOf',
  },
  {
    name: 'a unit that is too old fills',
    file: 'lookup/recall/applicable-fills.ts',
    in: 'withinAge',
    find: 'const limit = isCurrent ? maxAgeMs : rules.freshness.staleMaxMs',
    replace: 'const limit = isCurrent ? maxAgeMs * 2 : rules.freshness.staleMaxMs',
  },
  {
    name: 'a provider fills although it no longer has the record',
    file: rows,
    in: 'planFold',
    find: 'return (!providers || providers.includes(provider)) && fetchedAt >= (denials.get(provider) ?? 0)',
    replace: 'return (!providers || providers.includes(provider)) && denials.size >= 0 && fetchedAt > 0',
  },
]
