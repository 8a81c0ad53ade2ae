import type { Education, Person } from '@vitae/contract'
import { type Chance, chanceOf } from './vocabulary/chance.ts'
import { type Sections, usualKeys } from './sections.ts'

const sectionNames = Object.keys(usualKeys) as (keyof Sections)[]

/** Leaves out what the provider does not supply at present, and what many people never fill in. */
export function withUsualGaps(person: Person): Person {
  const chance = chanceOf(`gaps ${person.member_urn}`)
  return {
    ...person,
    summary: chance.odds(85) ? person.summary : null,
    background_photo_url: chance.odds(60) ? person.background_photo_url : null,
    network_info: null,
    verifications: withoutItems(person.verifications),
    contact_info: suppliedContact(chance, person.contact_info),
    experience: person.experience.map((group) => ({ ...group, workplace_type: null })),
    education: person.education.map((study) => leanStudy(chance, study)),
    ...leanSections(chance, person),
  }
}

function withoutItems(verifications: Person['verifications']): Person['verifications'] {
  if (!verifications) return null
  return { ...verifications, sections: verifications.sections.map(({ title }) => ({ title, items: [] })) }
}

function suppliedContact(chance: Chance, contact: Person['contact_info']): Person['contact_info'] {
  return {
    email_address: null,
    websites: [],
    twitter_handles: [],
    phone_numbers: [],
    birth_date: contact && chance.odds(70) ? contact.birth_date : null,
    address: contact && chance.odds(40) ? contact.address : null,
  }
}

function leanStudy(chance: Chance, study: Education): Education {
  return {
    ...study,
    grade: chance.odds(30) ? study.grade : null,
    activities: chance.odds(40) ? study.activities : null,
    description: chance.odds(40) ? study.description : null,
  }
}

/** Languages always, and a few of the other sections. */
function leanSections(chance: Chance, person: Person): Partial<Sections> {
  const kept = new Set<string>(['languages', ...chance.several(sectionNames, chance.whole(1, 5))])
  return Object.fromEntries(
    sectionNames.map((name) => [
      name,
      kept.has(name) ? person[name].map((item) => leanItem(item, usualKeys[name])) : [],
    ]),
  )
}

function leanItem<Item extends object>(item: Item, usual: readonly string[]): Item {
  return Object.fromEntries(
    Object.entries(item).map(([key, value]) => [key, usual.includes(key) ? value : null]),
  ) as Item
}
