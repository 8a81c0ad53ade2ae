import type { Command } from 'commander'
import { wholeNumber } from '../../numbers.ts'
import { kindChoice, option, ownerFilters, pageOptions, spanOptions } from '../../options.ts'
import { plainCommand } from '../../plain-command.ts'
import { explainedCall } from './explained-call.ts'

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
  plainCommand(calls, {
    command: 'show <request-id>',
    description: 'why one call ended as it did: what was asked for, what each provider did, credits, times',
    route: 'GET /calls/:request_id',
    text: explainedCall,
    examples: [
      'vitae calls show 0198c0de-7a11-7000-8000-00000000beef',
      'vitae calls show 0198c0de-7a11-7000-8000-00000000beef --json',
    ],
  })
}
