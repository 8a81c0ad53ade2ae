import type { TObject, TSchema } from 'typebox'
import * as account from '../account.ts'
import * as company from '../records/company.ts'
import * as dates from '../records/dates.ts'
import { Problem } from '../failures.ts'
import { Health, Readiness } from '../health.ts'
import * as person from '../records/person.ts'
import { HeadcountRange } from '../shapes.ts'
import * as history from '../records/history.ts'
import * as provenance from '../records/provenance.ts'
import * as usage from '../usage.ts'

export type Json = Record<string, unknown>

/** The named schemas of the document. A named schema inside another one becomes a reference. */
const named: Record<string, TSchema> = {
  Person: person.Person,
  PersonLocation: person.PersonLocation,
  NetworkInfo: person.NetworkInfo,
  CustomAction: person.CustomAction,
  Badges: person.Badges,
  Verifications: person.Verifications,
  ContactInfo: person.ContactInfo,
  ExperienceGroup: person.ExperienceGroup,
  Position: person.Position,
  Education: person.Education,
  SectionItem: person.SectionItem,
  Language: person.Language,
  Company: company.Company,
  CompanyType: company.CompanyType,
  CompanyLocation: company.CompanyLocation,
  Industry: company.Industry,
  FundingRound: company.FundingRound,
  Money: company.Money,
  Investor: company.Investor,
  CompanySummary: company.CompanySummary,
  PartialDate: dates.PartialDate,
  PersonDate: dates.PersonDate,
  DateRange: dates.DateRange,
  HeadcountRange,
  Account: account.Account,
  SpendLimit: account.SpendLimit,
  Preflight: account.Preflight,
  CompanyMatches: account.CompanyMatches,
  CompanyCandidate: account.CompanyCandidate,
  Usage: usage.Usage,
  UsageRow: usage.UsageRow,
  Receipt: usage.Receipt,
  RecordHistory: history.RecordHistory,
  HistoryVersion: history.HistoryVersion,
  RecordProvenance: provenance.RecordProvenance,
  FilledUnit: provenance.FilledUnit,
  Problem,
  Health,
  Readiness,
}

const nameOf = new Map<unknown, string>(Object.entries(named).map(([name, schema]) => [schema, name]))

/** Builds the component of every named schema. */
export function schemaComponents(): Json {
  const written = Object.entries(named).map(([name, schema]) => [name, writtenOut(schema)])
  return {
    ...Object.fromEntries(written),
    PersonFields: chosenFields('Person', person.Person, 'member_urn'),
    CompanyFields: chosenFields('Company', company.Company, 'company_id'),
  }
}

/** The response schema of a call with `fields`: the whole record, or some of its fields. */
export function recordOrFields(record: 'Person' | 'Company'): { anyOf: Json[] } {
  return { anyOf: [record, `${record}Fields`].map((name) => ({ $ref: `#/components/schemas/${name}` })) }
}

/** The schema of a record with `fields`: the identity key and any other fields. */
function chosenFields(name: string, { properties }: TObject, identity: string): Json {
  const fields = Object.keys(properties).map((field) => [
    field,
    { $ref: `#/components/schemas/${name}/properties/${field}` },
  ])
  return {
    type: 'object',
    description: `The answer to a call with \`fields\`: the named fields of ${name}, and \`${identity}\`.`,
    properties: Object.fromEntries(fields),
    required: [identity],
    additionalProperties: false,
  }
}

/** Renders a schema for the document: a reference if it has a name. */
export function renderSchema(schema: unknown): unknown {
  const name = nameOf.get(schema)
  if (name) return { $ref: `#/components/schemas/${name}` }
  if (Array.isArray(schema)) return schema.map(renderSchema)
  return schema !== null && typeof schema === 'object' ? writtenOut(schema) : schema
}

function writtenOut(schema: object): Json {
  const rendered = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, renderSchema(value)]))
  return withTypeList(rendered) ?? rendered
}

/** Renders "type or null" as one schema with two types, which reads better in documents and generated code. */
function withTypeList({ anyOf, ...rest }: Json): Json | null {
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return null
  const [value, nothing]: Json[] = anyOf
  if (nothing?.['type'] !== 'null' || typeof value?.['type'] !== 'string' || 'enum' in value) return null
  return { ...rest, ...value, type: [value['type'], 'null'] }
}
