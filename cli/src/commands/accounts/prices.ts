import { readFile } from 'node:fs/promises'
import type { AdminAnswer, PriceBook, PricePreview } from '@vitae/contract/admin'
import type { Command } from 'commander'
import { CommandError } from '../../command-error.ts'
import { plainCommand } from '../../plain-command.ts'
import { print, table } from '../../terminal/output.ts'
import { withAdmin } from '../../admin/with-admin.ts'

type Checked = AdminAnswer<'checkPrices'>

/** `vitae prices ...` */
export function priceCommands(program: Command): void {
  const prices = program.command('prices').description('what calls cost: the price book')
  plainCommand(prices, {
    command: 'show',
    description: 'the book in effect, and the books that follow',
    route: 'GET /prices',
    text: ({ current, next }) => [current, ...next].map(bookText).join('\n\n'),
    examples: ['vitae prices show', 'vitae prices show --json'],
  })
  prices
    .command('check <file>')
    .description('check a book without setting it; exit code 1 if it has errors')
    .addHelpText('after', '\nExamples:\n  $ vitae prices check prices.json')
    .action(
      withAdmin<object, [string]>(async ({ admin, json }, file) => {
        const checked = await admin.ask('POST /prices/check', { body: await readBook(file) })
        print(json, checked, () => checkText(checked))
        if (!checked.ok) throw new CommandError(`${file} is not a valid price book; nothing was changed`)
      }),
    )
  prices
    .command('preview <file>')
    .description('what the calls of a month would have cost with a book, by project; nothing is set')
    .option('--month <month>', 'a UTC month such as 2026-10; default: the previous one')
    .addHelpText(
      'after',
      '\nExamples:\n  $ vitae prices preview prices.json\n  $ vitae prices preview prices.json --month 2026-10',
    )
    .action(
      withAdmin<{ month?: string }, [string]>(async ({ admin, json, options: { month } }, file) => {
        const query = month === undefined ? {} : { month }
        const answer = await admin.ask('POST /prices/preview', { query, body: await readBook(file) })
        print(json, answer, () => previewText(answer))
      }),
    )
  prices
    .command('set <file>')
    .description('set a book; it applies from its valid_from and never changes')
    .addHelpText('after', '\nExamples:\n  $ vitae prices set prices.json')
    .action(
      withAdmin<object, [string]>(async ({ admin, json }, file) => {
        const book = await admin.ask('POST /prices', { body: await readBook(file) })
        print(json, book, () => bookText(book))
      }),
    )
  plainCommand(prices, {
    command: 'history',
    description: 'all books that were ever set, newest first',
    route: 'GET /prices/history',
    list: {
      of: 'books',
      columns: ['version', 'valid_from', 'set_at', 'actor', 'lines', 'parts'],
      rows: (book) => ({ ...book, lines: book.lines.length, parts: book.parts.length }),
      empty: 'No book was set: the configured prices apply.',
      whole: true,
    },
    examples: ['vitae prices history'],
  })
}

async function readBook(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new CommandError(`${file} cannot be read: check the name.`, { exitCode: 2 })
  })
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw new CommandError(`${file} is not JSON: ${(error as Error).message}`)
  }
}

function bookText({ version, valid_from: from, lines, parts }: PriceBook): string {
  const title = version === 0 ? 'Book 0: the variables of the configuration' : `Book ${version}, from ${from}`
  const named = new Set(lines.flatMap((line) => Object.keys(line)))
  const used = [...named].filter((column) => column !== 'credits')
  const priced = parts.map(({ part, credits }) => `+ ${String(credits)} for ${String(part)}`)
  return [title, table(lines, [...used, 'credits'], ''), ...priced].join('\n')
}

function checkText({ ok, errors, warnings, more }: Checked): string {
  const said = [...errors, ...warnings].map(({ parameter, detail }) => `${parameter} ${detail}`)
  return [...(ok ? ['The book is valid.'] : []), ...said, ...(more > 0 ? [`and ${more} more`] : [])].join('\n')
}

function previewText({ month, projects, more, removed_calls: removed, ...total }: PricePreview): string {
  const rows = [...projects, { project: 'all projects', ...total }]
  const isExact = total.at_least === total.at_most
  const columns = ['project', 'calls', 'charged', ...(isExact ? ['with_this_book'] : ['at_least', 'at_most'])]
  return [
    `The calls of ${month} with this book:`,
    table(
      rows.map((row) => ({ ...row, with_this_book: row.at_most })),
      columns,
      '',
    ),
    ...(isExact ? [] : ['The receipts lack a fact that the book asks for, so the cost is a range.']),
    ...(more > 0 ? [`${more} more projects are only in the sum.`] : []),
    ...(removed > 0 ? [`${removed} calls were removed by retention. They are not in the figures.`] : []),
  ].join('\n')
}
