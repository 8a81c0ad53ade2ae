import type { Kind } from '@vitae/contract'
import { Option } from 'commander'

export interface KindOption {
  kind?: Kind
}

/** The option of every command that takes the id of a record. */
export function kindOption(): Option {
  return new Option('--kind <kind>', 'which kind the id means, where it could be both').choices(['people', 'companies'])
}
