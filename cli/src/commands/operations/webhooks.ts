import { Option, type Command } from 'commander'
import { CommandError } from '../../command-error.ts'
import { confirm } from '../../terminal/confirm.ts'
import { examples } from '../../examples.ts'
import { wholeNumber } from '../../numbers.ts'
import { card, print, table, type Row } from '../../terminal/output.ts'
import { withAdmin } from '../../with-admin.ts'

interface Made {
  id: string
  url: string
  events: string[]
  secret: string
}

interface Settings {
  url?: string
  events?: string
  format?: string
  ordered?: string
}

const path = '/admin/v1/webhooks'
/** Here `--url` is the endpoint. */
const ownUrl = { ownUrl: true }

/** `vitae webhooks ...` */
export function webhookCommands(program: Command): void {
  const webhooks = program.command('webhooks').description('endpoints that are notified of events')
  createCommand(webhooks)
  listCommand(webhooks)
  showCommand(webhooks)
  updateCommand(webhooks)
  deleteCommand(webhooks)
  rotateCommand(webhooks)
  testCommand(webhooks)
  deliveriesCommand(webhooks)
  redeliverCommand(webhooks)
  parkedCommand(webhooks)
}

function createCommand(webhooks: Command): void {
  const create = webhooks
    .command('create')
    .description('make a webhook; its secret is shown once')
    .requiredOption('--project <name>', 'the project whose events it is notified of')
    .option('--environment <name>', 'only those of this environment')
    .option('--url <url>', 'where to send them: https:, or http: into a network of VITAE_WEBHOOK_NETWORKS')
    .requiredOption('--events <list>', 'types of events, such as person.job_changed,credits.low')
    .addOption(formatOption())
    .addOption(orderedOption())
    .action(
      withAdmin<Settings & { project: string; environment?: string }, []>(async ({ admin, options, json }) => {
        const { project, environment, url } = options
        if (url === undefined) throw new CommandError('Say with --url where to send events.', { exitCode: 2 })
        const body = { project, ...(environment === undefined ? {} : { environment }), ...settings(options) }
        printSecret(json, await admin.json<Made>('POST', path, body))
      }, ownUrl),
    )
  examples(
    create,
    'vitae webhooks create --project acme --environment production --url https://example.com/vitae --events person.job_changed,credits.low --json',
    'vitae webhooks create --project acme --url https://hooks.slack.com/services/... --events provider.down,backup.overdue --format slack',
  )
}

function listCommand(webhooks: Command): void {
  const list = webhooks
    .command('list')
    .description('list webhooks, and which of them fail or are paused')
    .option('--project <name>', 'only of this project')
    .option('--limit <n>', 'how many', wholeNumber, 100)
    .option('--cursor <cursor>', 'from where the last page ended')
    .action(
      withAdmin<{ project?: string; limit: number; cursor?: string }, []>(async ({ admin, options, json }) => {
        const query = new URLSearchParams({ limit: String(options.limit) })
        for (const name of ['project', 'cursor'] as const) if (options[name]) query.set(name, options[name])
        const page = await admin.json<{ webhooks: Row[] }>('GET', `${path}?${query.toString()}`)
        const columns = [
          'id',
          'project',
          'environment',
          'url',
          'events',
          'format',
          'ordered',
          'state',
          'retrying',
          'parked',
          'problem',
        ]
        print(json, page.webhooks, () =>
          table(page.webhooks, columns, 'There are none. "vitae webhooks create" makes one.'),
        )
      }),
    )
  examples(list, 'vitae webhooks list --project acme')
}

function showCommand(webhooks: Command): void {
  const show = webhooks
    .command('show <id>')
    .description('show a webhook')
    .action(
      withAdmin<object, [string]>(async ({ admin, json }, id) => {
        const webhook = await admin.json<object>('GET', pathOf(id))
        print(json, webhook, () => card(webhook))
      }),
    )
  examples(show, 'vitae webhooks show wh_3f9a...')
}

function updateCommand(webhooks: Command): void {
  const update = webhooks
    .command('update <id>')
    .description('change a webhook; a new URL begins with the waiting event at once')
    .option('--url <url>', 'where to send events (here a remote service is named by VITAE_URL)')
    .option('--events <list>', 'types of events')
    .addOption(formatOption())
    .addOption(orderedOption())
    .addOption(
      new Option('--state <state>', 'paused sends nothing; active goes on where it was').choices(['active', 'paused']),
    )
    .action(
      withAdmin<Settings & { state?: string }, [string]>(async ({ admin, options, json }, id) => {
        const { state } = options
        const body = { ...settings(options), ...(state === undefined ? {} : { state }) }
        const webhook = await admin.json<object>('PATCH', pathOf(id), body)
        print(json, webhook, () => card(webhook))
      }, ownUrl),
    )
  examples(
    update,
    'vitae webhooks update wh_3f9a... --state active',
    'vitae webhooks update wh_3f9a... --events credits.low',
    'vitae webhooks update wh_3f9a... --ordered no',
  )
}

function deleteCommand(webhooks: Command): void {
  const remove = webhooks
    .command('delete <id>')
    .description('delete a webhook and the log of its deliveries')
    .action(
      withAdmin<object, [string]>(async ({ admin, options, json }, id) => {
        await confirm(options, `Delete ${id}? It is notified of nothing more.`)
        const webhook = await admin.json<object>('DELETE', pathOf(id))
        print(json, webhook, () => 'Deleted.')
      }),
    )
  examples(remove, 'vitae webhooks delete wh_3f9a... --yes')
}

function rotateCommand(webhooks: Command): void {
  const rotate = webhooks
    .command('rotate <id>')
    .description('set a new secret; the old one signs too for an overlap')
    .option('--overlap <duration>', 'how long the old secret goes on, such as 24h; 0s ends it now', '24h')
    .action(
      withAdmin<{ overlap: string }, [string]>(async ({ admin, options, json }, id) => {
        printSecret(json, await admin.json<Made>('POST', `${pathOf(id)}/rotate`, { overlap: options.overlap }))
      }),
    )
  examples(rotate, 'vitae webhooks rotate wh_3f9a... --overlap 1h')
}

function testCommand(webhooks: Command): void {
  const test = webhooks
    .command('test <id>')
    .description('send a test event now, and show the answer')
    .action(
      withAdmin<object, [string]>(async ({ admin, json }, id) => {
        const delivery = await admin.json<object>('POST', `${pathOf(id)}/test`)
        print(json, delivery, () => card(delivery))
      }),
    )
  examples(test, 'vitae webhooks test wh_3f9a...')
}

function deliveriesCommand(webhooks: Command): void {
  const deliveries = webhooks
    .command('deliveries <id>')
    .description('list the deliveries to a webhook, newest first')
    .option('--limit <n>', 'how many', wholeNumber, 100)
    .option('--cursor <cursor>', 'from where the last page ended')
    .action(
      withAdmin<{ limit: number; cursor?: string }, [string]>(async ({ admin, options, json }, id) => {
        const query = new URLSearchParams({ limit: String(options.limit) })
        if (options.cursor) query.set('cursor', options.cursor)
        const page = await admin.json<{ deliveries: Row[] }>('GET', `${pathOf(id)}/deliveries?${query.toString()}`)
        const columns = ['id', 'at', 'event', 'type', 'kind', 'attempt', 'outcome', 'status', 'duration_ms', 'answer']
        print(json, page.deliveries, () => table(page.deliveries, columns, 'Nothing was delivered yet.'))
      }),
    )
  examples(deliveries, 'vitae webhooks deliveries wh_3f9a... --limit 20')
}

function redeliverCommand(webhooks: Command): void {
  const redeliver = webhooks
    .command('redeliver <id> [event]')
    .description('send an event again now: that of a delivery, or one to a webhook, the last if none is named')
    .action(
      withAdmin<object, [string, string | undefined]>(async ({ admin, json }, id, event) => {
        const body = event === undefined ? {} : { event }
        const delivery = await admin.json<object>('POST', `${pathOf(id)}/redeliver`, body)
        print(json, delivery, () => card(delivery))
      }),
    )
  examples(redeliver, 'vitae webhooks redeliver dlv_42', 'vitae webhooks redeliver wh_3f9a... evt_0198...')
}

function parkedCommand(webhooks: Command): void {
  const parked = webhooks
    .command('parked <id>')
    .description('list the events that were given up for a webhook after three days, newest first, or send them again')
    .option('--retry', 'send all of them again, each with new retries')
    .option('--limit <n>', 'how many', wholeNumber, 100)
    .option('--cursor <cursor>', 'from where the last page ended')
    .action(
      withAdmin<{ retry?: boolean; limit: number; cursor?: string }, [string]>(async ({ admin, options, json }, id) => {
        if (options.retry) {
          const sent = await admin.json<{ events: number }>('POST', `${pathOf(id)}/parked/retry`)
          print(json, sent, () => `${sent.events} events are sent again.`)
          return
        }
        const query = new URLSearchParams({ limit: String(options.limit) })
        if (options.cursor) query.set('cursor', options.cursor)
        const page = await admin.json<{ parked: Row[] }>('GET', `${pathOf(id)}/parked?${query.toString()}`)
        const columns = ['id', 'event', 'type', 'attempts', 'failing_since', 'parked_at', 'problem']
        print(json, page.parked, () => table(page.parked, columns, 'No event is parked.'))
      }),
    )
  examples(parked, 'vitae webhooks parked wh_3f9a...', 'vitae webhooks parked wh_3f9a... --retry')
}

function pathOf(id: string): string {
  return `${path}/${encodeURIComponent(id)}`
}

function formatOption(): Option {
  return new Option('--format <format>', 'json sends the event itself, slack a message').choices(['json', 'slack'])
}

function orderedOption(): Option {
  const words = 'yes: an event waits until the one before it was accepted; no: one that fails is tried again apart'
  return new Option('--ordered <yes|no>', words).choices(['yes', 'no'])
}

/** Only what was given. */
function settings({ url, events, format, ordered }: Settings): Record<string, unknown> {
  const list = events?.split(',').map((part) => part.trim())
  return {
    ...(url === undefined ? {} : { url }),
    ...(list === undefined ? {} : { events: list }),
    ...(format === undefined ? {} : { format }),
    ...(ordered === undefined ? {} : { ordered: ordered === 'yes' }),
  }
}

function printSecret(json: boolean, { id, url, events, secret }: Made): void {
  const made = { id, url, events, secret }
  print(json, made, () => `${card(made)}\n\nKeep the secret now: it is not shown again.`)
}
