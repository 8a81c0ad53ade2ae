import type { Kind } from '@vitae/contract'
import type { Command } from 'commander'
import { failed } from '../../admin-client.ts'
import { CommandError } from '../../command-error.ts'
import { examples } from '../../examples.ts'
import { wholeNumber } from '../../numbers.ts'
import { kindChoice } from '../../options.ts'
import { card, print } from '../../terminal/output.ts'
import { withAdmin } from '../../with-admin.ts'

interface Options {
  kind: Kind
  key: string
  email?: string
  phone?: string
  name?: string
  company?: string
  domain?: string
  everyDays?: number
  note?: string
}

/** `vitae watches match`: uses an API key, because a match costs credits. */
export function matchWatchCommand(watches: Command): void {
  const command = watches
    .command('match')
    .description('match a person or company and watch the record; the key pays for the match and for each refresh')
    .requiredOption('--key <key>', 'an API key')
    .addOption(kindChoice('what is watched', 'people'))
    .option('--email <address>', 'a person by an e-mail address')
    .option('--phone <number>', 'a person by a phone number with its country code')
    .option('--name <name>', 'by a name; a person also needs --company or --domain')
    .option('--company <name>', 'the employer of the person')
    .option('--domain <domain>', 'the domain of the company, or of the employer')
    .option('--every-days <n>', 'days between two refreshes, 1 to 365; default 7', wholeNumber)
    .option('--note <text>', 'for yourselves')
    .action(
      withAdmin<Options, []>(async ({ admin, options, json }) => {
        const { kind, key, email, phone, name, company, domain, everyDays, note } = options
        if ([email, phone, name, domain].every((given) => given === undefined))
          throw new CommandError('give --email, --phone, --name or --domain')
        const held = { email, phone, name, company }
        const match = kind === 'people' ? { ...held, company_domain: domain } : { ...held, domain }
        const body = { kind, match, every_days: everyDays, note }
        const reply = await admin.plain('/v1/watches', { apikey: key }, body)
        if (reply.status > 201) throw failed(reply)
        const watch = JSON.parse(reply.body.toString()) as object
        print(json, watch, () => card(watch))
      }),
    )
  examples(
    command,
    'vitae watches match --email amara@tidewater-robotics.example --key "$VITAE_API_KEY" --every-days 7',
    'vitae watches match --kind companies --domain tidewater-robotics.example --key "$VITAE_API_KEY"',
  )
}
