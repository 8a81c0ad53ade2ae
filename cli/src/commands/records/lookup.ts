import { Argument, type Command } from 'commander'
import type { Kind, ReadPath } from '@vitae/contract'
import { failed, type AdminClient, type Reply } from '../../admin/admin-client.ts'
import { CommandError } from '../../command-error.ts'
import { examples } from '../../examples.ts'
import { days } from '../../numbers.ts'
import { card, outline, print } from '../../terminal/output.ts'
import { queryText } from '../../admin/query-text.ts'
import { withAdmin } from '../../admin/with-admin.ts'

interface Options {
  dryRun: boolean
  key?: string
  maxAge?: number
  contact: boolean
  network: boolean
  verifications: boolean
  bypass: boolean
  email?: string
  phone?: string
  name?: string
  company?: string
  domain?: string
}

const endpoints: Record<Kind, { path: ReadPath; id: string }> = {
  people: { path: '/v1/people/profile', id: 'profile_id' },
  companies: { path: '/v1/companies/details', id: 'company_id' },
}
const shownHeaders = [
  'x-data-source',
  'x-fetched-at',
  'x-data-age-seconds',
  'x-match-likelihood',
  'x-matched-on',
  'x-credits-charged',
  'x-credits-remaining',
  'x-request-id',
]

/** `vitae lookup` */
export function lookupCommand(program: Command): void {
  const command = program
    .command('lookup')
    .description('look up a record; with --key the caller of that key pays, without it nobody is billed')
    .addArgument(new Argument('<kind>', 'which endpoint').choices(['people', 'companies']))
    .argument('[id]', 'a slug, number or URL; without it the record is matched by the options')
    .option('--email <address>', 'match a person by an e-mail address')
    .option('--phone <number>', 'match a person by a phone number with its country code')
    .option('--name <name>', 'match by a name; a person also needs --company or --domain')
    .option('--company <name>', 'the employer of the person')
    .option('--domain <domain>', 'the domain of the company, or of the employer')
    .option('--dry-run', 'only show the source and the cost, without a lookup', false)
    .option('--key <key>', 'an API key (a dry run checks its limits and spends nothing)')
    .option('--max-age <days>', 'maximum age of a stored copy, in days', days)
    .option('--contact', 'include contact details', false)
    .option('--network', 'include network figures', false)
    .option('--verifications', 'include verifications', false)
    .option('--bypass', 'fetch now, even if the store has a copy', false)
    .action(
      withAdmin<Options, [Kind, string | undefined]>(async ({ admin, options, json }, kind, id) => {
        if (id === undefined) return showMatch(admin, kind, options, json)
        const { email, phone, name, company, domain } = options
        if ([email, phone, name, company, domain].some((given) => given !== undefined))
          throw new CommandError('Give an id or match options, not both.', { exitCode: 2 })
        if (options.dryRun) {
          const path = `/admin/v1/lookup/${kind}${queryText({ id, dry_run: true, ...freshness(options) })}`
          const headers = options.key ? { headers: { apikey: options.key } } : {}
          const expected = await admin.json<object>('GET', path, undefined, headers)
          return print(json, expected, () => card(expected))
        }
        const { body, headers } = await (options.key
          ? asCaller(admin, kind, id, options, options.key)
          : asOperator(admin, kind, id, options))
        show(json, { body, headers })
      }),
    )
  examples(
    command,
    'vitae lookup people amara-okafor',
    'vitae lookup people amara-okafor --dry-run --json',
    'vitae lookup people --email amara@tidewater-robotics.example --key "$VITAE_API_KEY"',
    'vitae lookup companies tidewater-robotics --key "$VITAE_API_KEY" --max-age 1',
  )
}

function show(json: boolean, { body, headers }: Pick<Reply, 'body' | 'headers'>): void {
  const facts = shownHeaders.filter((name) => headers[name] !== undefined).map((name) => `${name}: ${headers[name]}\n`)
  if (process.stderr.isTTY) process.stderr.write(facts.join(''))
  const record = JSON.parse(body.toString()) as object
  print(json, record, () => outline(record))
}

/** Matches as a caller. The data goes into a body, so that it appears in no log of URLs. */
async function showMatch(admin: AdminClient, kind: Kind, options: Options, json: boolean): Promise<void> {
  const { email, phone, name, company, domain, key, dryRun } = options
  if ([email, phone, name, domain].every((given) => given === undefined))
    throw new CommandError('Give an id, or --email, --phone, --name or --domain.', { exitCode: 2 })
  if (key === undefined)
    throw new CommandError('A caller pays for a match: give its API key with --key.', { exitCode: 2 })
  if (dryRun && kind === 'companies') throw new CommandError('--dry-run is for matches of people.', { exitCode: 2 })
  const held = kind === 'people' ? { email, phone, name, company, company_domain: domain } : { name, domain }
  const parts = kind === 'people' ? query(options) : freshness(options)
  const path = `/v1/${kind}/match${dryRun ? '/preflight' : ''}`
  const reply = await admin.plain(path, { apikey: key }, { ...held, ...parts })
  if (reply.status !== 200) throw failed(reply)
  show(json, reply)
}

function freshness({ maxAge, bypass }: Options) {
  return { max_age_days: maxAge, bypass_cache: bypass ? true : undefined }
}

function query(options: Options) {
  return {
    ...freshness(options),
    include_contact_info: options.contact ? true : undefined,
    include_network_info: options.network ? true : undefined,
    get_verification_details: options.verifications ? true : undefined,
  }
}

async function asCaller(admin: AdminClient, kind: Kind, id: string, options: Options, key: string): Promise<Reply> {
  const { path, id: name } = endpoints[kind]
  const reply = await admin.plain(`${path}${queryText({ [name]: id, ...query(options) })}`, { apikey: key })
  if (reply.status !== 200) throw failed(reply)
  return reply
}

function asOperator(admin: AdminClient, kind: Kind, id: string, options: Options): Promise<Reply> {
  return admin.reply('GET', `/admin/v1/lookup/${kind}${queryText({ id, ...query(options) })}`)
}
