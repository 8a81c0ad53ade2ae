import type { PartsAsked } from '../../records/body/record-bytes.ts'
import type { FreshnessAsk } from '../freshness.ts'
import type { Expected } from '../match/expectations.ts'

/** What a call asks for besides the record. */
export interface Asked {
  freshness: FreshnessAsk
  include: PartsAsked
  fields?: readonly string[] | null
  require?: readonly string[] | null
  expect?: Expected | null
  idempotencyKey: string | null
}

/**
 * What a caller asked for besides the record, as far as it was not as usual, in the words of the parameters. Whom they expect and their
 * Idempotency-Key are named without their values, which may name a person.
 */
export function optionsOf({ freshness, include, fields, require, expect, idempotencyKey }: Asked): string[] {
  const { maxAgeDays, bypassCache, onlyStored, refuseStale } = freshness
  return [
    ...(include.network ? ['include_network_info=true'] : []),
    ...(include.contact ? ['include_contact_info=true'] : []),
    ...(include.verifications ? ['get_verification_details=true'] : []),
    ...(maxAgeDays === null ? [] : [`max_age_days=${maxAgeDays}`]),
    ...(bypassCache ? ['bypass_cache=true'] : []),
    ...(fields ? [`fields=${fields.join(',')}`] : []),
    ...(require ? [`require=${require.join(',')}`] : []),
    ...(expect ? Object.keys(expect).map((name) => `expect.${name}`) : []),
    ...(onlyStored ? ['only-if-cached'] : []),
    ...(refuseStale ? ['stale-if-error=0'] : []),
    ...(idempotencyKey === null ? [] : ['Idempotency-Key']),
  ]
}
