import { Argument, type Command } from 'commander'
import type { Kind } from '@vitae/contract'
import { failed, type AdminClient, type Reply } from '../../admin-client.ts'
import { examples } from '../../examples.ts'
import { days } from '../../numbers.ts'
import { card, outline, print } from '../../terminal/output.ts'
import { queryText } from '../../query-text.ts'
import { withAdmin } from '../../with-admin.ts'

interface Options {
  dryRun: boolean
  key?: string
  maxAge?: number
  contact: boolean
  network: boolean
  verifications: boolean
  bypass: boolean
}

const endpoints: Record<Kind, { path: string; id: string }> = {
  people: { path: '/v1/people/profile', id: 'profile_id' },
  companies: { path: '/v1/companies/details', id: 'company_id' },
}
const shownHeaders = [
  'x-data-source',
  'x-fetched-at',
  'x-data-age-seconds',
  'x-credits-charged',
  'x-credits-remaining',
  'x-request-id',
]

/** `vitae lookup` */
export function lookupCommand(program: Command): void {
  const command = program
    .command('lookup')
    .description('look a record up: with --key as that caller, who pays; without as operator, and nobody pays')
    .addArgument(new Argument('<kind>', 'which endpoint').choices(['people', 'companies']))
    .argument('<id>', 'a slug, number or URL')
    .option('--dry-run', 'only say where it would come from and what it would cost', false)
    .option('--key <key>', 'an API key (a dry run is judged by it, and does not spend)')
    .option('--max-age <days>', 'the oldest data that is good enough', days)
    .option('--contact', 'include contact details', false)
    .option('--network', 'include network figures', false)
    .option('--verifications', 'include verifications', false)
    .option('--bypass', 'fetch now, whatever is stored', false)
    .action(
      withAdmin<Options, [Kind, string]>(async ({ admin, options, json }, kind, id) => {
        if (options.dryRun) {
          const path = `/admin/v1/lookup/${kind}${queryText({ id, dry_run: true, ...freshness(options) })}`
          const headers = options.key ? { headers: { apikey: options.key } } : {}
          const expected = await admin.json<object>('GET', path, undefined, headers)
          return print(json, expected, () => card(expected))
        }
        const { body, headers } = await (options.key
          ? asCaller(admin, kind, id, options, options.key)
          : asOperator(admin, kind, id, options))
        const facts = shownHeaders
          .filter((name) => headers[name] !== undefined)
          .map((name) => `${name}: ${headers[name]}\n`)
        if (process.stderr.isTTY) process.stderr.write(facts.join(''))
        const record = JSON.parse(body.toString()) as object
        print(json, record, () => outline(record))
      }),
    )
  examples(
    command,
    'vitae lookup people amara-okafor',
    'vitae lookup people amara-okafor --dry-run --json',
    'vitae lookup companies tidewater-robotics --key "$VITAE_API_KEY" --max-age 1',
  )
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
