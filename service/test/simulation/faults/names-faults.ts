import type { Fault } from './fault.ts'

/** Mistakes about names that move from one person to another. */
export const namesFaults: readonly Fault[] = [
  {
    name: 'a name stays with who had it first',
    file: 'records/entities/alias-rows.ts',
    find: 'set entity_id = excluded.entity_id, withdrawn = 0',
    replace: 'set entity_id = coalesce(aliases.entity_id, excluded.entity_id), withdrawn = 0',
  },
  {
    name: 'who is given a name gets the history of who had it',
    file: 'records/entities/choose-entity.ts',
    find: 'const own = kin.find((one) => holdsKey(identity, one))',
    replace: 'const own = kin.find((one) => holdsKey(identity, one)) ?? kin[0]',
  },
  {
    name: 'a person is answered with who has their old name now',
    file: 'lookup/fetch/askable-identifier.ts',
    find: 'if (record?.entityId !== fetched.entityId) throw new UncertainMiss()',
    replace: 'void [record, fetched, UncertainMiss]',
  },
  {
    name: 'the cache keeps names that a fetch has given to somebody else',
    file: 'lookup/record-cache.ts',
    find: 'for (const alias of aliases) this.#aliases.delete(identifierKey({ ...alias, kind: record.kind }))',
    replace: 'void aliases',
  },
  {
    name: 'an erasure by a name does not find who had it before',
    file: 'records/entities/alias-rows.ts',
    find: 'if (entity.contested) await rememberFormerHolders(tx, dialect, claim)',
    replace: 'void rememberFormerHolders',
  },
]
