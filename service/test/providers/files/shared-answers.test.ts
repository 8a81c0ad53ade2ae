import type { Company, Person } from '@vitae/contract'
import { BrokenAgreement, ProviderFault } from '@vitae/provider'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shippedNames } from '../../../src/providers/shipped-files.ts'
import { mutated, type Json } from '../mutations.ts'
import { expectDeclared, expectValidProjection } from '../projection-rules.ts'
import { fingerprint, kindOf, sharedPayloads } from '../shared-payloads.ts'
import { periodOf } from '../shown.ts'
import { bytes, goldenAnswers, providerOf } from '../golden/golden-answers.ts'

const isLong = Boolean(process.env['VITAE_TEST_LONG'])

const at = (value: Json, ...path: string[]): Json =>
  path.reduce<Json>((inner, key) => (Object(inner) as Record<string, Json>)[key] ?? null, value)

/** Answers that were saved without their envelope, or in that of another route. */
const wrapped: Record<string, (answer: Json) => Json> = {
  'freshdata person-1': (data) => ({ data, message: 'ok' }),
  'fullenrich person-1': (answer) => ({ people: [at(answer, 'data', '0', 'profile')], metadata: { credits: 0.25 } }),
  'crustdata person-2': (answer) => [{ matches: [{ person_data: at(answer, 'profiles', '0') }] }],
}

/** Without the marks of the collector, which shortened lists and texts. */
function uncut(value: Json): Json {
  if (Array.isArray(value)) return value.filter((item) => !isMark(item)).map(uncut)
  if (typeof value !== 'object' || value === null) return isMark(value) ? null : value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, uncut(inner)]))
}

const isMark = (value: Json) => typeof value === 'string' && value.startsWith('… ')

const shared = shippedNames().flatMap((name) =>
  [...sharedPayloads(name)].flatMap(([file, body]) => {
    const answer = uncut(JSON.parse(new TextDecoder().decode(body)) as Json)
    // The file of Hunter has no people.
    if (name === 'hunter' && kindOf(file) === 'people') return []
    return {
      title: `${name} ${file}`,
      name,
      kind: kindOf(file),
      answer: wrapped[`${name} ${file}`]?.(answer) ?? answer,
    }
  }),
)

/** The facts that the notes state about an answer, in the terms of the record. */
function factsOf(record: Person | Company): string[] {
  const text = (value: string | number | null | undefined) => String(value ?? '-')
  if (!('member_urn' in record)) {
    const { company_name, company_id, public_identifier, staff_info, founded_on, followers_count, locations } = record
    const { staff_count, staff_range } = staff_info ?? {}
    return [
      ...[company_name, company_id, public_identifier, staff_count, staff_range?.start, staff_range?.end].map(text),
      ...[founded_on?.year, followers_count, locations?.headquarter?.city, locations?.headquarter?.country].map(text),
      text(record.company_type?.type_code),
      text(record.industries?.map(({ name }) => name).join('/')),
      text(record.funding_data?.last_funding_round?.money_raised?.amount),
    ]
  }
  const { first_name, last_name, public_identifier, location, network_info, experience, education } = record
  return [
    ...[first_name, last_name, public_identifier, location?.city, location?.country_code].map(text),
    ...[network_info?.followers_count, network_info?.connections_count].map(text),
    ...experience.flatMap((group) => [
      `${text(group.company_name)} ${text(group.company_id)} ${text(periodOf(group.date_range))}`,
      ...group.positions.map(({ title, date_range }) => `- ${text(title)} ${text(periodOf(date_range))}`),
    ]),
    ...education.map((school) => `${text(school.school_name)} ${text(periodOf(school.date_range))}`),
  ]
}

/** Hashes of facts that were compared by hand with the notes and the answers. */
const checked: Record<string, string> = {
  'apollo company-1': '1688a7d36654',
  'apollo person-1': '9874bc22d028',
  'apollo person-2': '122cae89b333',
  'contactout company-1': '57db03f4b6ac',
  'contactout person-1': '961ae8d7665f',
  'crustdata company-1': '3b9d46efc158',
  'crustdata person-1': 'fd9219f65a57',
  'crustdata person-2': '9591fea0f86c',
  'fiberai company-1': '071d410757f7',
  'fiberai person-1': 'd68274c05116',
  'freshdata person-1': 'cd4c4706f10d',
  'fullenrich company-1': '8c74bfc5417a',
  'fullenrich person-1': 'a4dcd25b5a0e',
  'hunter company-1': 'f9eaf2ee6067',
  'icypeas company-1': '4acd4ff8a129',
  'icypeas person-1': '305573384d3e',
  'leadmagic company-1': '00461cfdd9ed',
  'leadmagic person-1': 'ce7da3c0498b',
  'scrapin company-1': 'fbeab05c8c13',
  'scrapin person-1': '4d2877c92330',
}

test.runIf(shared.length > 0).each(shared)('$title becomes the record that the notes describe', (one) => {
  const provider = providerOf(one.name)

  const projection = provider.project(one.kind, bytes(one.answer))

  expectValidProjection(one.kind, projection)
  expectDeclared(provider, one.kind, projection)
  expect(fingerprint(factsOf(projection.record))).toBe(checked[one.title])
})

const golden = shippedNames()
  .flatMap(goldenAnswers)
  .map(({ provider: name, kind, payload }) => ({
    title: `${name} ${kind}`,
    name,
    kind,
    answer: payload as Json,
  }))

// The conformance suite mutates our own answers in every run, so one of them is enough.
test.each([...(isLong ? golden : golden.slice(0, 1)), ...shared])(
  'mutated answers of $title become valid records, or are refused',
  ({ name, kind, answer }) => {
    const provider = providerOf(name)

    fc.assert(
      fc.property(mutated(fc.constant(answer)), (payload) => {
        try {
          expectValidProjection(kind, provider.project(kind, bytes(payload)))
        } catch (error) {
          // The gate turns every forbidden action of a file into a broken agreement.
          if (error instanceof BrokenAgreement || !(error instanceof ProviderFault)) throw error
        }
      }),
      { numRuns: isLong ? 400 : 40 },
    )
  },
)
