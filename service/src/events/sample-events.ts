import type { EventData, EventType, VitaeEvent } from '@vitae/contract'
import { isoTime } from '../foundation/clock.ts'

const at = '2026-11-14T09:30:00.000Z'
const version = (number: number, day: string) => ({
  version: number,
  provider: 'sample',
  fetched_at: `2026-11-${day}T09:30:00.000Z`,
  source_updated_at: null,
})

type Changes = EventData<'person.changed'>['changes']
const changed = (kind: 'people' | 'companies', id: string, changes: Changes): EventData<'person.changed'> => ({
  kind,
  id,
  changes,
  from: version(1, '07'),
  to: version(2, '14'),
  provider: 'sample',
  source: 'live',
})

const person = 'urn:li:member:100000001'
const old = { company_id: '900001', company_name: 'Example Works', title: 'Chemist' }
const spent = { key: 'key_sample', period: '2026-11', ceiling: 100 }

const batch = {
  batch: 'batch_sample',
  name: 'conference guests',
  kind: 'people',
  total: 3,
  counts: { found: 2, not_found: 0, invalid: 0, failed: 0, waiting: 1 },
  credits_spent: 2,
} as const

/** Fictional data for every type. */
const data: { [T in EventType]: EventData<T> } = {
  'person.job_changed': changed('people', person, [
    {
      kind: 'job_change',
      path: 'experience',
      before: old,
      after: { company_id: '900002', company_name: 'Sample Labs', title: 'Head of chemistry' },
    },
  ]),
  'person.promoted': changed('people', person, [
    {
      kind: 'promotion',
      path: 'experience[900001].positions[2026-11]',
      before: old,
      after: { ...old, title: 'Senior chemist' },
    },
  ]),
  'person.changed': changed('people', person, [
    { kind: 'headline', path: 'headline', before: 'Chemist', after: 'Chemist and gardener' },
  ]),
  'company.changed': changed('companies', '900001', [
    { kind: 'headcount', path: 'staff_info.staff_count', before: 120, after: 140 },
  ]),
  'record.merged': { kind: 'people', id: person, merged_id: 'urn:vitae:person:0123456789abcdef' },
  'record.split': { kind: 'people', id: person, split_id: 'urn:vitae:person:0123456789abcdef' },
  'record.purged': { kind: 'people', id: person },
  'record.erased': { kind: 'people', id: person },
  'credits.low': { balance: 99, threshold: 100 },
  'ceiling.near': { ...spent, spent: 80, percent: 80 },
  'ceiling.reached': { ...spent, spent: 100, percent: 100 },
  'budget.reached': { month: '2026-11', spent: 5_000, budget: 5_000 },
  'provider.down': { provider: 'sample', reason: 'it failed 5 times in a row' },
  'provider.recovered': { provider: 'sample', down_since: at },
  'provider.cost_differs': { provider: 'sample', configured: '0', currency: 'USD', requests: 1, reported: 1 },
  'provider.drifted': {
    ...{ provider: 'sample', kind: 'people', day: '2026-11-14', answers: 400 },
    units: [{ unit: 'experience', usual: 0.93, now: 0.02 }],
  },
  'backup.overdue': { last_backup_at: '2026-11-12T09:30:00.000Z', due_at: '2026-11-13T09:30:00.000Z' },
  'batch.completed': { ...batch, counts: { ...batch.counts, not_found: 1, waiting: 0 } },
  'batch.paused': { ...batch, pause_reason: 'out_of_credits' },
  'batch.resumed': { ...batch, pause_reason: 'out_of_credits' },
  'batch.failed': { ...batch, error: 'revoked_api_key' },
}

const ofService = /^(provider|backup)\./

/** The feed of a test key: one event of every type, always the same. Its cursors are 1, 2, 3 and so on. */
export function sampleEvents({ project, environment }: { project: string; environment: string }): VitaeEvent[] {
  return Object.entries(data).map(([type, each], index) => ({
    id: `evt_sample_${String(index + 1).padStart(2, '0')}`,
    type: type as EventType,
    at: isoTime(Date.parse(at) + index * 60_000),
    project: ofService.test(type) ? null : project,
    environment: ofService.test(type) ? null : environment,
    data: each,
  }))
}
