import type { Kind } from '@vitae/contract'
import type { Option } from 'commander'
import type { AdminClient } from './admin/admin-client.ts'
import { CommandError } from './command-error.ts'
import { kindChoice } from './options.ts'

export interface KindOption {
  kind?: Kind
}

/** The option of every command that takes the id of a record. */
export function kindOption(): Option {
  return kindChoice('which kind the id means, where it could be both')
}

/** Finds the kind of an id: the given one, the one its form implies, or the only one with a stored record. */
export async function findKind(admin: AdminClient, id: string, given: Kind | undefined): Promise<Kind> {
  const kind = given ?? kindByForm(id)
  if (kind) return kind
  const known: Kind[] = []
  for (const candidate of ['people', 'companies'] as const)
    if (await isKnown(admin, candidate, id)) known.push(candidate)
  const [only, other] = known
  if (only && !other) return only
  if (other) throw new CommandError(`${id} is a person and a company: say which with --kind.`, { exitCode: 2 })
  throw new CommandError(`Nothing is stored under ${id}.`, { code: 'not_found' })
}

/** The kind that the form of a URL or URN implies. */
function kindByForm(id: string): Kind | null {
  if (/^urn:(li:member|vitae:person):/.test(id) || /\/in\//i.test(id)) return 'people'
  return /\/(company|school|showcase)\//i.test(id) ? 'companies' : null
}

async function isKnown(admin: AdminClient, kind: Kind, id: string): Promise<boolean> {
  try {
    await admin.ask(`GET /records/${kind}/:ref/history`, { params: [id] })
    return true
  } catch (error) {
    const isUnknown = error instanceof CommandError && (error.code === 'not_found' || error.code === 'invalid_request')
    if (isUnknown) return false
    throw error
  }
}
