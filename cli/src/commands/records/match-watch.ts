import type { Kind } from '@vitae/contract'
import { type AdminClient, failed } from '../../admin/admin-client.ts'
import { CommandError } from '../../command-error.ts'

/** The known facts of a person or company to watch. */
export interface MatchOptions {
  email?: string
  phone?: string
  name?: string
  company?: string
  domain?: string
}

interface Asked extends MatchOptions {
  kind: Kind
  key?: string
  everyDays?: number
  note?: string
}

/** Whether a record is to be matched, not named by its id. */
export function isMatch({ email, phone, name, company, domain }: MatchOptions): boolean {
  return [email, phone, name, company, domain].some((given) => given !== undefined)
}

/** Watches a matched record as a caller, because a match costs credits and needs the key itself. */
export async function watchMatch(admin: AdminClient, asked: Asked): Promise<object> {
  const { kind, key, email, phone, name, company, domain, everyDays, note } = asked
  if (key === undefined) throw new CommandError('A match needs --key with the API key that pays.', { exitCode: 2 })
  if ([email, phone, name, domain].every((given) => given === undefined))
    throw new CommandError('A match needs --email, --phone, --name or --domain.', { exitCode: 2 })
  const held = { email, phone, name, company }
  const match = kind === 'people' ? { ...held, company_domain: domain } : { ...held, domain }
  const reply = await admin.plain('/v1/watches', { apikey: key }, { kind, match, every_days: everyDays, note })
  if (reply.status > 201) throw failed(reply)
  return JSON.parse(reply.body.toString()) as object
}
