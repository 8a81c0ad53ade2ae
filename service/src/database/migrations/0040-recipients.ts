import type { Migration } from '../engine/migration.ts'

/**
 * Which environment received which record under which key, for as long as the environment exists. An older store is
 * filled from its call log and its paid versions.
 */
export const recipients: Migration = {
  number: 40,
  name: 'recipients',
  statements: [
    `create table recipients (
      entity_id bigint not null, account_id bigint not null, kind text not null, key text not null,
      primary key (entity_id, account_id, key))`,
    'create index recipients_by_key on recipients (kind, key)',
    'create index recipients_by_account on recipients (account_id, key)',
    `insert into recipients (entity_id, account_id, kind, key)
      select distinct entities.id, paid_versions.account_id, entities.kind, entities.key
      from paid_versions join versions on versions.id = paid_versions.version_id
        join entities on entities.id = versions.entity_id
      union
      select coalesce(gone.into_id, entities.id), calls.account_id, calls.kind, coalesce(entities.key, gone.key)
      from calls left join entities on entities.id = calls.entity_id
        left join merged_entities as gone on gone.id = calls.entity_id
      where calls.mode = 'live' and calls.status = 200 and coalesce(entities.key, gone.key) is not null`,
    'create index events_of_keys on events (at) where type in ($types)',
  ].map((text) => text.replace('$types', "'record.merged', 'record.split', 'record.purged', 'record.erased'")),
}
