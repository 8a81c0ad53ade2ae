import type { Fault } from './fault.ts'

/** Mistakes about names that move from one person to another. */
export const namesFaults: readonly Fault[] = [
  {
    name: 'a name stays with its first holder',
    file: 'records/rows/alias-rows.ts',
    in: 'pointAliases',
    find: `\`
      insert into aliases (kind, type, value, entity_id, seen_at, withdrawn) values [items]
      on conflict (kind, type, value) do update
      set entity_id = excluded.entity_id, withdrawn = 0, not_found_at = null, seen_at = excluded.seen_at
      where aliases.seen_at <= excluded.seen_at or aliases.seen_at > ?
      returning value\``,
    replace: `\`
      insert into aliases (kind, type, value, entity_id, seen_at, withdrawn) values [items]
      on conflict (kind, type, value) do update
      set entity_id = coalesce(aliases.entity_id, excluded.entity_id), withdrawn = 0, not_found_at = null, seen_at = excluded.seen_at
      where aliases.seen_at <= excluded.seen_at or aliases.seen_at > ?
      returning value\``,
  },
  {
    name: 'a new holder of a name gets the history of the old one',
    file: 'records/entities/choose-entity.ts',
    in: 'chooseEntity',
    find: 'const own = kin.find((one) => holdsKey(identity, one))',
    replace: 'const own = kin.find((one) => holdsKey(identity, one)) ?? kin[0]',
  },
  {
    name: 'a person is answered with the new holder of their old name',
    file: 'lookup/fetch/askable-identifier.ts',
    in: 'checkSameEntity',
    find: 'if (record?.entityId !== fetched.entityId) throw new UncertainMiss()',
    replace: 'void [record, fetched, UncertainMiss]',
  },
  {
    name: 'the cache keeps names that a fetch has moved',
    file: 'lookup/recall/record-cache.ts',
    in: 'moved',
    find: 'for (const alias of aliases) this.#aliases.delete(identifierKey({ ...alias, kind: record.kind }))',
    replace: 'void aliases',
  },
  {
    name: 'an erasure by a name does not find its former holder',
    file: 'records/rows/alias-rows.ts',
    in: 'claimAliases',
    find: 'if (entity.contested) await rememberFormerHolders(tx, dialect, claim)',
    replace: 'void rememberFormerHolders',
  },
]
