import { emptyContact, type ExperienceGroup, type Person } from '@vitae/contract'
import { type Chance, chanceOf } from './vocabulary/chance.ts'
import { sectionNames, type Sections } from './sections.ts'

/**
 * Leaves out what the provider does not supply at present, and lists that many people never begin. What is listed has
 * every field that the contract calls populated.
 */
export function withUsualGaps(person: Person): Person {
  const chance = chanceOf(`gaps ${person.member_urn}`)
  return {
    ...person,
    network_info: null,
    verifications: leanVerifications(chance, person.verifications),
    contact_info: suppliedContact(chance, person.contact_info),
    experience: person.experience.map((group) => leanGroup(chance, group)),
    education: chance.odds(92) ? person.education : [],
    skills: chance.odds(92) ? person.skills : [],
    ...leanSections(chance, person),
  }
}

/** Many people have confirmed nothing; of the others the items are not supplied. */
function leanVerifications(chance: Chance, verifications: Person['verifications']): Person['verifications'] {
  if (!verifications) return null
  if (chance.odds(40)) return { ...verifications, is_verified: false, sections: [] }
  return { ...verifications, sections: verifications.sections.map(({ title }) => ({ title, items: [] })) }
}

function leanGroup(chance: Chance, group: ExperienceGroup): ExperienceGroup {
  const positions = group.positions.map((position) => ({
    ...position,
    employment_type: chance.odds(85) ? position.employment_type : null,
  }))
  return { ...group, workplace_type: null, positions }
}

function suppliedContact(chance: Chance, contact: Person['contact_info']): Person['contact_info'] {
  return {
    ...emptyContact(),
    birth_date: contact?.birth_date ?? null,
    address: contact && chance.odds(40) ? contact.address : null,
  }
}

/** A few of the sections; languages nearly always. */
function leanSections(chance: Chance, person: Person): Partial<Sections> {
  const kept = new Set<string>(chance.several(sectionNames, chance.whole(0, 5)))
  if (chance.odds(85)) kept.add('languages')
  return Object.fromEntries(sectionNames.map((name) => [name, kept.has(name) ? person[name] : []]))
}
