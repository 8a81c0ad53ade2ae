import type { NewWebhook } from '@vitae/contract/admin'
import type { Command, Option } from 'commander'
import { CommandError } from '../../command-error.ts'
import { examples } from '../../examples.ts'
import { wholeNumber } from '../../numbers.ts'
import { names, option, pageOptions } from '../../options.ts'
import { plainCommand } from '../../plain-command.ts'
import { card, print, table } from '../../terminal/output.ts'
import { withAdmin } from '../../admin/with-admin.ts'

/** `vitae webhooks ...` */
export function webhookCommands(program: Command): void {
  const webhooks = program.command('webhooks').description('endpoints that are notified of events')
  createCommand(webhooks)
  listCommand(webhooks)
  updateCommand(webhooks)
  deleteCommand(webhooks)
  rotateCommand(webhooks)
  deliveriesCommand(webhooks)
  redeliverCommand(webhooks)
  parkedCommand(webhooks)
}

function createCommand(webhooks: Command): void {
  plainCommand(webhooks, {
    command: 'create',
    description: 'make a webhook; its secret is shown once',
    route: 'POST /webhooks',
    options: [
      option('--project <name>', 'the project whose events it is notified of', { required: true }),
      option('--environment <name>', 'only those of this environment'),
      option('--url <url>', 'where to send them: https:, or http: into a network of VITAE_WEBHOOK_NETWORKS'),
      option('--events <list>', 'types of events, such as person.job_changed,credits.low', {
        required: true,
        read: names,
      }),
      formatOption(),
    ],
    part: withSecret,
    text: secretText,
    examples: [
      'vitae webhooks create --project acme --environment production --url https://example.com/vitae --events person.job_changed,credits.low --json',
      'vitae webhooks create --project acme --url https://hooks.slack.com/services/... --events provider.down,backup.overdue --format slack',
    ],
  }).hook('preAction', (create) => {
    if (create.optsWithGlobals<{ url?: string }>().url === undefined)
      throw new CommandError('Say with --url where to send events.', { exitCode: 2 })
  })
}

function listCommand(webhooks: Command): void {
  plainCommand(webhooks, {
    command: 'list',
    description: 'list webhooks, and which of them fail or are paused',
    route: 'GET /webhooks',
    options: [option('--project <name>', 'only this project'), ...pageOptions()],
    list: {
      of: 'webhooks',
      columns: 'id project environment url events format state retrying parked problem'.split(' '),
      empty: 'There are no webhooks. "vitae webhooks create" makes one.',
    },
    examples: ['vitae webhooks list --project acme'],
  })
  plainCommand(webhooks, {
    command: 'show <id>',
    description: 'show a webhook',
    route: 'GET /webhooks/:id',
    examples: ['vitae webhooks show wh_3f9a...'],
  })
}

function updateCommand(webhooks: Command): void {
  plainCommand(webhooks, {
    command: 'update <id>',
    description: 'change a webhook; waiting events are sent to a new URL at once',
    route: 'PATCH /webhooks/:id',
    options: [
      option('--url <url>', 'where to send events (here a remote service is named by VITAE_URL)'),
      option('--events <list>', 'types of events', { read: names }),
      formatOption(),
      option('--state <state>', 'paused sends nothing; active goes on where it was', { choices: ['active', 'paused'] }),
    ],
    examples: [
      'vitae webhooks update wh_3f9a... --state active',
      'vitae webhooks update wh_3f9a... --events credits.low',
    ],
  })
}

function deleteCommand(webhooks: Command): void {
  plainCommand(webhooks, {
    command: 'delete <id>',
    description: 'delete a webhook and the log of its deliveries',
    route: 'DELETE /webhooks/:id',
    confirm: (id) => `Delete ${id}? It will receive no more events.`,
    text: () => 'Deleted.',
    examples: ['vitae webhooks delete wh_3f9a... --yes'],
  })
}

function rotateCommand(webhooks: Command): void {
  plainCommand(webhooks, {
    command: 'rotate <id>',
    description: 'set a new secret; during the overlap both sign',
    route: 'POST /webhooks/:id/rotate',
    options: [
      option('--overlap <duration>', 'how long the old secret still signs, such as 24h; 0s ends it now', {
        usual: '24h',
      }),
    ],
    part: withSecret,
    text: secretText,
    examples: ['vitae webhooks rotate wh_3f9a... --overlap 1h'],
  })
}

function deliveriesCommand(webhooks: Command): void {
  plainCommand(webhooks, {
    command: 'test <id>',
    description: 'send a test event now, and show the answer',
    route: 'POST /webhooks/:id/test',
    examples: ['vitae webhooks test wh_3f9a...'],
  })
  plainCommand(webhooks, {
    command: 'deliveries <id>',
    description: 'list the deliveries to a webhook, newest first',
    route: 'GET /webhooks/:id/deliveries',
    options: pageOptions(),
    list: {
      of: 'deliveries',
      columns: ['id', 'at', 'event', 'type', 'kind', 'attempt', 'outcome', 'status', 'duration_ms', 'answer'],
      empty: 'Nothing was delivered yet.',
    },
    examples: ['vitae webhooks deliveries wh_3f9a... --limit 20'],
  })
}

function redeliverCommand(webhooks: Command): void {
  plainCommand(webhooks, {
    command: 'redeliver <id> [event]',
    description:
      'send an event again now, by the id of a delivery or of a webhook; default for a webhook: its last event',
    route: 'POST /webhooks/:id/redeliver',
    examples: ['vitae webhooks redeliver dlv_42', 'vitae webhooks redeliver wh_3f9a... evt_0198...'],
  })
}

function parkedCommand(webhooks: Command): void {
  const parked = webhooks
    .command('parked <id>')
    .description('list the events that were given up for a webhook after three days, newest first, or send them again')
    .option('--retry', 'send all of them again, each with new retries')
    .option('--limit <n>', 'how many', wholeNumber, 100)
    .option('--cursor <cursor>', 'the cursor that the previous page printed')
    .action(
      withAdmin<{ retry?: boolean; limit: number; cursor?: string }, [string]>(async ({ admin, options, json }, id) => {
        if (options.retry) {
          const sent = await admin.ask('POST /webhooks/:id/parked/retry', { params: [id] })
          print(json, sent, () => `${sent.events} events will be sent again.`)
          return
        }
        const { limit, cursor } = options
        const page = await admin.ask('GET /webhooks/:id/parked', { params: [id], query: { limit, cursor } })
        const columns = ['id', 'event', 'type', 'attempts', 'failing_since', 'parked_at', 'problem']
        print(json, page.parked, () => table(page.parked, columns, 'There are no parked events.'))
      }),
    )
  examples(parked, 'vitae webhooks parked wh_3f9a...', 'vitae webhooks parked wh_3f9a... --retry')
}

function formatOption(): Option {
  return option('--format <format>', 'json sends the event itself, slack a message', { choices: ['json', 'slack'] })
}

function withSecret({ id, url, events, secret }: NewWebhook) {
  return { id, url, events, secret }
}

function secretText(made: NewWebhook): string {
  return `${card(withSecret(made))}\n\nKeep the secret now: it is not shown again.`
}
