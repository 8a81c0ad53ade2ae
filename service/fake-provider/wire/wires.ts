import { brightdata } from './brightdata.ts'
import { coresignal } from './coresignal.ts'
import { enrichlayer } from './enrichlayer.ts'
import { harvestapi } from './harvestapi.ts'
import { mirror } from './mirror.ts'
import { peopledatalabs } from './peopledatalabs.ts'

/** Every API that the fake provider can play. */
export const wires = {
  harvestapi,
  enrichlayer,
  brightdata,
  coresignal,
  peopledatalabs,
  mirror,
}

export type WireName = keyof typeof wires
