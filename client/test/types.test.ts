/** These tests pass if `tsc --noEmit` passes: at run time they do nothing. */
import { expectTypeOf, test } from 'vitest'
import type * as contract from '../../contract/src/index.ts'
import type * as client from '../src/index.ts'
import type { VitaeClient, VitaeError, VitaeNotFoundError } from '../src/index.ts'

/** Removes `readonly`, which the contract's types have because its schemas are constants. */
type Plain<Value> = Value extends object ? { -readonly [Key in keyof Value]: Plain<Value[Key]> } : Value

test("the records have the contract's types, field by field", () => {
  expectTypeOf<client.Person>().toEqualTypeOf<Plain<contract.Person>>()
  expectTypeOf<client.Company>().toEqualTypeOf<Plain<contract.Company>>()
  expectTypeOf<client.ExperienceGroup>().toEqualTypeOf<Plain<contract.ExperienceGroup>>()
  expectTypeOf<client.ContactInfo>().toEqualTypeOf<Plain<contract.ContactInfo>>()
  expectTypeOf<client.FundingRound>().toEqualTypeOf<Plain<contract.FundingRound>>()
  expectTypeOf<client.FailureCode>().toEqualTypeOf<contract.FailureCode>()
  expectTypeOf<client.DataSource>().toEqualTypeOf<contract.DataSource>()
  expectTypeOf<client.Problem>().toEqualTypeOf<contract.Problem>()
})

test('the client names every option of a query', () => {
  type Camel<Text extends string> = Text extends `${infer Head}_${infer Tail}`
    ? `${Head}${Capitalize<Camel<Tail>>}`
    : Text
  /** All `expect.*` parameters are one option. */
  type Flat<Name extends string> = Name extends `expect.${string}` ? 'expect' : Camel<Name>
  type Asked<Query, Id extends string> = Flat<Exclude<keyof Query & string, Id>>
  type FieldOf<Name> = Name extends `expect.${infer Field}` ? Camel<Field> : never
  type Expected<Query> = FieldOf<keyof Query>
  expectTypeOf<Expected<contract.ProfileQuery>>().toEqualTypeOf<keyof client.ExpectedPerson>()
  expectTypeOf<Expected<contract.CompanyQuery>>().toEqualTypeOf<keyof client.ExpectedCompany>()
  expectTypeOf<Asked<contract.ProfileQuery, 'profile_id'>>().toExtend<keyof client.ProfileOptions>()
  expectTypeOf<Asked<contract.CompanyQuery, 'company_id'>>().toExtend<keyof client.CompanyOptions>()
})

test('a lookup returns the record type of its endpoint', () => {
  const people = {} as VitaeClient['people']
  const companies = {} as VitaeClient['companies']
  const person = () => people.profile('ada', { includeContactInfo: true })
  expectTypeOf(person).returns.resolves.toEqualTypeOf<client.Answer<client.Person>>()
  expectTypeOf(() => companies.details('4711')).returns.resolves.toEqualTypeOf<client.Answer<client.Company>>()
  expectTypeOf<client.Answer<client.Person>['fetchedAt']>().toEqualTypeOf<Date>()
})

test('a record has the chosen fields, and no others', () => {
  const people = {} as VitaeClient['people']
  const chosen = () => people.profile('ada', { fields: ['headline', 'experience'] })
  expectTypeOf(chosen).returns.resolves.toEqualTypeOf<
    client.Answer<Pick<client.Person, 'member_urn' | 'headline' | 'experience'>>
  >()
  // @ts-expect-error: a person has no such field
  expectTypeOf(() => people.profile('ada', { fields: ['hedline'] })).toBeFunction()
})

test('fields that may be missing have nullable types', () => {
  expectTypeOf<client.Person['member_urn']>().toEqualTypeOf<string>()
  expectTypeOf<client.Person['contact_info']>().toEqualTypeOf<client.ContactInfo | null>()
  expectTypeOf<client.Company['company_id']>().toEqualTypeOf<string | null>()
  // @ts-expect-error: a company has no contact info to include
  expectTypeOf<VitaeClient['companies']['details']>().toBeCallableWith('4711', { includeContactInfo: true })
})

test("the platform's fetch fits", () => {
  expectTypeOf<typeof globalThis.fetch>().toExtend<client.Fetch>()
})

test('an error class narrows the code', () => {
  expectTypeOf<VitaeNotFoundError>().toExtend<VitaeError>()
  expectTypeOf<VitaeNotFoundError['code']>().toEqualTypeOf<'not_found'>()
})
