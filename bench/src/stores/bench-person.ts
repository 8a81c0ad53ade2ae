import { contractPerson } from '../../../service/fake-provider/contract-person.ts'
import { serialiseRecord } from '../../../service/src/records/body/record-bytes.ts'
import { slugDigits } from './bench-slug.ts'

const blank = '_'.repeat(slugDigits)
const slugMark = `p${blank}`
const numberMark = `101${blank}`
const opaqueMark = `ACoAAbench${blank}fiction`

/** A stored record in all forms that an import needs. */
export interface BenchRecord {
  slug: string
  body: Buffer
  parts: string
  name: string
  memberNumber: string
  opaqueId: string
}

const template = makeTemplate()

/**
 * The n-th fictional person, about 11 KB as JSON. Records differ only in texts of fixed length. So a million of them
 * are made by replacing text, and the offsets of the optional parts stay the same.
 */
export function benchRecord(index: number): BenchRecord {
  const number = String(index).padStart(slugDigits, '0')
  const fill = (mark: string) => mark.replace(blank, number)
  const text = template.text
    .replaceAll(slugMark, fill(slugMark))
    .replaceAll(numberMark, fill(numberMark))
    .replaceAll(opaqueMark, fill(opaqueMark))
  return {
    slug: fill(slugMark),
    body: Buffer.from(text),
    parts: template.parts,
    name: template.name,
    memberNumber: fill(numberMark),
    opaqueId: fill(opaqueMark),
  }
}

function makeTemplate(): { text: string; parts: string; name: string } {
  const person = contractPerson('bench')
  const others = Array.from({ length: 8 }, (_, index) => contractPerson(`bench-${index}`))
  const story = others.map(({ headline, location }) => `${headline}, in ${location.name}.`).join(' ')
  const record = {
    ...person,
    member_urn: `urn:li:member:${numberMark}`,
    entity_urn: `urn:li:fsd_profile:${opaqueMark}`,
    public_identifier: slugMark,
    profile_url: `https://www.linkedin.com/in/${slugMark}`,
    websites: [`https://www.linkedin.com/in/${slugMark}`],
    summary: story,
    experience: [...person.experience, ...others.slice(0, 5).flatMap(({ experience }) => experience)],
    skills: [...new Set(others.flatMap(({ skills }) => skills))],
  }
  const { body, parts } = serialiseRecord('people', record)
  return { text: body.toString(), parts: JSON.stringify(parts), name: `${person.first_name} ${person.last_name}` }
}
