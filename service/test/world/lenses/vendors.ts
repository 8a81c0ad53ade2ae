import { hash } from 'node:crypto'
import { ProviderFault } from '@vitae/provider'
import type { Random } from '../../simulation/world/random.ts'
import type { Exchange } from '../../../src/providers/transport/transport.ts'
import type { Day } from '../truth/person.ts'
import type { Wire } from './answering.ts'
import { brightdata } from './brightdata.ts'
import { coresignal } from './coresignal.ts'
import { enrichlayer } from './enrichlayer.ts'
import { Pages } from './find-page.ts'
import { harvestapi } from './harvestapi.ts'
import { lensNames, type LensName } from './lens.ts'
import { peopledatalabs } from './peopledatalabs.ts'
import type { CompanyView, PersonView, Seeing } from './view.ts'

const wires: Record<LensName, Wire> = { brightdata, peopledatalabs, coresignal, harvestapi, enrichlayer }

/** Days on which a vendor is down. */
interface Outage {
  from: Day
  to: Day
}

/** A record that a vendor sent. */
export interface Shown {
  lens: LensName
  view: PersonView | CompanyView
}

/** The vendors of one seed: their order in the chain, their outages, and the records they have shown. */
export class Vendors {
  readonly #seeing: Seeing
  readonly #pages: Pages
  readonly #outages: Record<LensName, Outage[]>
  readonly #today: () => Day
  /** In the order of the chain. */
  readonly order: readonly LensName[]
  /** By the SHA-256 of the payload. */
  readonly shown = new Map<string, Shown>()
  /** Records sent since the last call began. */
  sent: Shown[] = []

  constructor(seeing: Seeing, random: Random, today: () => Day) {
    this.#seeing = seeing
    this.#today = today
    this.#pages = new Pages(seeing)
    this.order = shuffled(lensNames, random).slice(0, 2 + random.below(4))
    const drawn = lensNames.map((name) => [name, outages(random)] as const)
    this.#outages = Object.fromEntries(drawn) as Record<LensName, Outage[]>
  }

  /** The transport of one vendor. */
  exchange(lens: LensName): Exchange {
    return async (request) => {
      const day = this.#today()
      if (this.#outages[lens].some(({ from, to }) => from <= day && day < to))
        throw new ProviderFault('unavailable', `${lens} is down`)
      const { status, body, shown } = wires[lens]({ request, lens, seeing: this.#seeing, pages: this.#pages, day })
      const bytes = Buffer.from(JSON.stringify(body))
      if (shown) {
        this.shown.set(hash('sha256', bytes), { lens, view: shown })
        this.sent.push({ lens, view: shown })
      }
      return { status, headers: { 'content-type': 'application/json' }, body: bytes, receivedAt: Date.now() }
    }
  }
}

function outages(random: Random): Outage[] {
  return Array.from({ length: 2 + random.below(5) }, () => {
    const from = random.below(730)
    return { from, to: from + 5 + random.below(70) }
  })
}

function shuffled<T>(list: readonly T[], random: Random): T[] {
  return list
    .map((one) => ({ one, order: random.next() }))
    .toSorted((a, b) => a.order - b.order)
    .map(({ one }) => one)
}
