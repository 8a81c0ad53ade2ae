import type { Command } from 'commander'
import type { AdminClient } from '../../admin/admin-client.ts'
import { CommandError } from '../../command-error.ts'
import { examples } from '../../examples.ts'
import { wholeNumber } from '../../numbers.ts'
import { kindChoice, option, ownerFilters, pageOptions, spanOptions } from '../../options.ts'
import { plainCommand } from '../../plain-command.ts'
import { card, print } from '../../terminal/output.ts'
import { withAdmin } from '../../admin/with-admin.ts'
import { explainedCall, priceText } from './explained-call.ts'

/** `vitae calls ...` */
export function callCommands(program: Command): void {
  const calls = program.command('calls').description('the calls that were answered')

  plainCommand(calls, {
    command: 'list',
    description: 'list calls, newest first',
    route: 'GET /calls',
    options: [
      ...ownerFilters(),
      option('--key <id>', 'only with this key, by its id'),
      kindChoice('only of this endpoint'),
      option('--status <status>', 'only with this HTTP status', { read: wholeNumber }),
      option('--code <code>', 'only with this failure code'),
      option('--source <source>', 'only from there', { choices: ['live', 'store', 'stale_fallback'] }),
      ...spanOptions(),
      ...pageOptions(),
    ],
    named: { key: 'key_id' },
    list: {
      of: 'calls',
      columns: 'at project environment kind status code source credits duration_ms request_id'.split(' '),
      empty: ({ next_cursor: next }) =>
        next === null ? 'No calls fit.' : `No call found so far: continue with --cursor ${next}`,
      whole: true,
    },
    examples: [
      'vitae calls list --project acme --since 24h',
      'vitae calls list --status 404 --kind people --json',
      'vitae calls list --source stale_fallback --since 2026-11-01',
    ],
  })
  const show = calls
    .command('show <request-id>')
    .description(
      'why one call ended as it did: what was asked for, what each provider did, price lines, credits, times',
    )
    .action(
      withAdmin<object, [string]>(async ({ admin, json }, id) => {
        const { call, receipt } = await readCall(admin, id)
        const { price, price_lines, hold } = receipt
        const shown = call ? { ...call, price, price_lines, hold } : receipt
        print(json, shown, () =>
          call ? explainedCall(call, receipt) : card({ ...receipt, price: priceText(receipt) }),
        )
      }),
    )
  examples(
    show,
    'vitae calls show 0198c0de-7a11-7000-8000-00000000beef',
    'vitae calls show 0198c0de-7a11-7000-8000-00000000beef --json',
  )
}

/** A call with its receipt. The ledger keeps the receipt of a call that is no longer in the call log. */
async function readCall(admin: AdminClient, id: string) {
  const receiptOf = () => admin.ask('GET /receipts/:request_id', { params: [id] })
  try {
    return { call: await admin.ask('GET /calls/:request_id', { params: [id] }), receipt: await receiptOf() }
  } catch (error) {
    if (!(error instanceof CommandError) || error.code !== 'not_found') throw error
    const receipt = await receiptOf().catch(() => null)
    if (!receipt) throw error
    return { call: null, receipt }
  }
}
