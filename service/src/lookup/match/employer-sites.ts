import type { Person } from '@vitae/contract'
import { mayUse, type Route } from '../../foundation/environments/route.ts'
import { recallHot, recallStored } from '../recall-record.ts'
import { identifierKey, type Identifier } from '../../foundation/identifier.ts'
import type { ReadyRecord } from '../record-cache.ts'
import { companyIn } from './company-facts.ts'
import type { Expected } from './expectations.ts'

type Deps = Parameters<typeof recallStored>[0]

const employersAtMost = 10

/** Whether the call depends on the sites of a person's employers and they have not been read yet. */
export function needsSites(expect: Expected | null | undefined, record: ReadyRecord | null): record is ReadyRecord {
  return expect?.company_domain !== undefined && record?.kind === 'people' && !record.sites
}

/** Adds the sites of a person's employers, if their own records are stored and may be used. */
export async function withSites(
  deps: Deps,
  route: Route,
  expect: Expected | null | undefined,
  record: ReadyRecord,
): Promise<ReadyRecord> {
  if (!needsSites(expect, record)) return record
  // Written by serialiseRecord.
  const { experience } = JSON.parse(record.body.toString()) as Pick<Person, 'experience'>
  const own = record.fold ? (JSON.parse(record.fold.base.body.toString()) as Pick<Person, 'experience'>).experience : []
  const ids = [...new Set([...own, ...experience].flatMap(({ company_id: id }) => id ?? []))].slice(0, employersAtMost)
  const sites = await Promise.all(ids.map(async (id) => [id, await siteOf(deps, route, id)] as const))
  return { ...record, sites: new Map(sites.flatMap(([id, site]) => (site === null ? [] : [[id, site]]))) }
}

async function siteOf(deps: Deps, route: Route, id: string): Promise<string | null> {
  const identifier: Identifier = { kind: 'companies', type: 'id', value: id }
  const { record } = recallHot(deps, identifierKey(identifier), route) ?? (await recallStored(deps, identifier))
  return record && mayUse(route, record.provider) ? (companyIn(record.body).own?.domain ?? null) : null
}
