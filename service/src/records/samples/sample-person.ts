import { type Person, emptyContact, emptyPerson } from '@vitae/contract'
import type { Identifier } from '../../foundation/identifier.ts'
import type { CareerShape } from './career.ts'
import { chanceOf } from './vocabulary/chance.ts'
import { completePerson } from './complete-person.ts'
import { personCore, type PersonCore } from './person-core.ts'
import { withUsualGaps } from './usual-gaps.ts'

/** Reserved slugs and what is special about their record. */
const variants = new Map<string, (core: PersonCore) => Person>([
  ['sample-sparse', sparse],
  ['sample-complete', (core) => completePerson(core, { employers: 3, positions: 2, ongoing: true })],
  ['sample-promoted', (core) => ordinary(core, { employers: 1, positions: 4, ongoing: true })],
  ['sample-memorialized', memorialized],
])

/**
 * The fictional person of an identifier, always the same one. The optional parts are filled as if all were asked for;
 * the caller removes those that were not.
 */
export function samplePerson(identifier: Identifier): Person {
  const core = personCore(identifier)
  const variant = identifier.type === 'slug' ? variants.get(identifier.value) : undefined
  return variant ? variant(core) : ordinary(core, someCareer(core))
}

function someCareer(core: PersonCore): CareerShape {
  const chance = chanceOf(`career of ${core.memberUrn}`)
  return { employers: chance.whole(2, 4), positions: chance.whole(1, 3), ongoing: chance.odds(88) }
}

function ordinary(core: PersonCore, shape: CareerShape): Person {
  return withUsualGaps(completePerson(core, shape))
}

/** Nothing but what a record must have. */
function sparse({ memberUrn, entityUrn }: PersonCore): Person {
  return { ...emptyPerson(memberUrn, entityUrn), contact_info: emptyContact() }
}

function memorialized(core: PersonCore): Person {
  const person = ordinary(core, { employers: 2, positions: 2, ongoing: false })
  return { ...person, is_memorialized: true, badges: emptyPerson().badges }
}
