import type { Kind } from '@vitae/contract'
import { personIdentity, type ProviderAsk, type ProviderModule, type RawAnswer } from '@vitae/provider'
import { contractPerson } from '../../../fake-provider/contract-person.ts'

/** Misbehaviour of a provider's code. */
export interface Plays {
  ask?: (ask: ProviderAsk, sound: object) => unknown
  project?: (sound: { record: object; identity: object; sourceUpdatedAt: number | null }, kind: Kind) => unknown
}

/** The number in the member URN of everybody whom the faulty provider knows. */
export const numberOf = (slug: string): string =>
  `777${[...slug].reduce((sum, char) => sum * 31 + char.charCodeAt(0), 7) % 1e9}`

/** A valid projection of the person with a slug. */
export function soundProjection(slug: string) {
  const identity = personIdentity({ memberNumber: numberOf(slug), slug, fallback: slug })
  const record = { ...contractPerson(slug), member_urn: identity.key, public_identifier: slug }
  return { record, identity, sourceUpdatedAt: null as number | null }
}

/** A module whose provider knows everybody and is correct, except for the requested misbehaviour. */
export class FaultyProvider {
  plays: Plays = {}
  asked = 0
  now = (): number => 0

  readonly module: ProviderModule = {
    name: 'faulty',
    label: 'Faulty',
    defaultUrl: 'http://faulty.example',
    create: () => ({
      name: 'faulty',
      supplies: { people: new Set<string>(), companies: new Set<string>() },
      projectionVersion: 1,
      matchesBy: { people: [['email']] },
      ask: async (ask) => {
        this.asked += 1
        const slug = ask.identifier.match ? 'matched-by-faulty' : ask.identifier.value
        const answer: RawAnswer = { status: 200, headers: {}, body: Buffer.from(slug), receivedAt: this.now() }
        const match = ask.identifier.match ? { match: { likelihood: 0.95, matchedOn: ['email'] } } : {}
        const sound = { outcome: 'found', answer, cost: null, ...match }
        return (this.plays.ask ? await this.plays.ask(ask, sound) : sound) as never
      },
      project: (kind, payload) => {
        const sound = soundProjection(Buffer.from(payload).toString())
        return (this.plays.project ? this.plays.project(sound, kind) : sound) as never
      },
    }),
  }
}
