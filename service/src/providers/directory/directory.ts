import { join } from 'node:path'
import type { Kind } from '@vitae/contract'
import type { Clock } from '../../foundation/clock.ts'
import { projectContract } from '../contract-shape/contract-projection.ts'
import { everyField } from '../contract-shape/every-field.ts'
import { matchFacts, type Provider, type RawAnswer } from '@vitae/provider'
import { openShelf, type OnBadLine } from './shelf.ts'

export interface Directory extends Provider {
  readonly counts: Record<Kind, number>
  close(): Promise<void>
}

/** The bundled set of fictional people and companies. */
export const bundledDirectory = join(import.meta.dirname, '../../../directory')

const unknown = new TextEncoder().encode('{"code":"not_found"}')

/**
 * Opens a folder with `people.ndjson` and `companies.ndjson`, records in the contract's own shape, as a provider. A
 * missing file counts as empty; a folder with neither file is an error.
 */
export async function openDirectory(options: {
  folder: string
  clock: Clock
  onBadLine: OnBadLine
}): Promise<Directory> {
  const { folder, clock, onBadLine } = options
  const people = await openShelf('people', join(folder, 'people.ndjson'), onBadLine)
  const companies = await openShelf('companies', join(folder, 'companies.ndjson'), onBadLine)
  if (!people && !companies) throw new Error(`${folder} has neither people.ndjson nor companies.ndjson`)
  const shelves = { people, companies }

  const answer = (status: number, body: Uint8Array): RawAnswer => {
    return { status, headers: { 'content-type': 'application/json' }, body, receivedAt: clock.now() }
  }
  return {
    name: 'directory',
    supplies: everyField,
    asksByKey: true,
    projectionVersion: 4,
    counts: { people: people?.count ?? 0, companies: companies?.count ?? 0 },
    matchesBy: {
      people: [['email'], ['phone'], ['name', 'company']],
      companies: [['name'], ['domain']],
    },
    async ask({ identifier }) {
      const { kind, match } = identifier
      if (match) {
        const { lines, agreed } = (await shelves[kind]?.match(match)) ?? { lines: [], agreed: {} }
        const [line, another] = lines
        const unknownToUs = { outcome: 'not_found', answer: answer(404, unknown), cost: null } as const
        if (!line || another) return another ? { ...unknownToUs, isAmbiguous: true } : unknownToUs
        return { outcome: 'found', answer: answer(200, line), cost: null, match: matchFacts(agreed) }
      }
      const line = await shelves[identifier.kind]?.find(identifier)
      if (!line) return { outcome: 'not_found', answer: answer(404, unknown), cost: null }
      return { outcome: 'found', answer: answer(200, line), cost: null }
    },
    project: (kind, payload) => projectContract('directory', kind, payload),
    async close() {
      await Promise.all([people?.close(), companies?.close()])
    },
  }
}
