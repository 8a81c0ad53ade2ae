import { csvLine, safeCell } from '@vitae/service/csv-cells'
import type { Command, Option } from 'commander'
import { addressOf, type AdminRoute, type AnswerTo, type Asked } from './admin/admin-client.ts'
import { CommandError } from './command-error.ts'
import { examples } from './examples.ts'
import { findKind, type KindOption } from './find-kind.ts'
import { confirm } from './terminal/confirm.ts'
import { card, print, table, type Row } from './terminal/output.ts'
import { withAdmin, type Context } from './admin/with-admin.ts'

/** A command that sends one admin request and prints the response. */
export interface PlainCommand<Route extends AdminRoute> {
  /** In commander's syntax. Arguments fill the route's path parameters; further ones are sent by name. */
  command: string
  description: string
  route: Route
  /** The route is for people; `--kind` or the id may switch it to companies. */
  ofRecord?: true
  /**
   * Sent in snake case: as path parameter if the route names it, else in the query of a GET or DELETE, else in the
   * body. The word of `<n|word>` is sent as null.
   */
  options?: readonly Option[]
  /** The names of options in the API, if they differ. */
  named?: Readonly<Record<string, string>>
  /** Sent with every call. */
  body?: object
  /** The confirmation before a destructive action. */
  confirm?: (id: string, given: Record<string, unknown>) => string
  /** The list that the table shows. With `whole`, JSON output contains the whole response, not only the list. */
  list?: List<AnswerTo<Route>>
  /** The part of the response to print, if not all. */
  part?: (answer: AnswerTo<Route>) => object
  /** The response as text, if it is neither table nor card. */
  text?: (answer: AnswerTo<Route>) => string
  /** The reason why a response is a failure; printed after it, with exit code 1. */
  failure?: (answer: AnswerTo<Route>, ...args: string[]) => string | null
  /** The response is a file, printed unchanged. */
  file?: true
  examples: readonly string[]
}

type ItemOf<Value> = Value extends readonly (infer Item)[] ? Item : never

interface List<Answer> {
  of: keyof Answer & string
  columns: readonly string[]
  empty: string | ((answer: Answer) => string)
  /** The rows of one item, if an item is not one row. */
  rows?: (item: ItemOf<Answer[keyof Answer]>) => Row | Row[]
  whole?: true
}

/** Adds a plain command to its group. */
export function plainCommand<Route extends AdminRoute>(group: Command, row: PlainCommand<Route>): Command {
  const { options = [], list } = row
  const command = group.command(row.command).description(row.description)
  for (const option of options) command.addOption(option)
  if (list) command.option('--csv', 'print all rows as CSV, or as many as --limit says', false)
  const ownUrl = options.some(({ long }) => long === '--url')
  command.action(
    withAdmin<Record<string, unknown>, (string | string[])[]>(
      async (context, ...args) => {
        const { admin, options: given, json } = context
        const words = args.flat()
        const [route, asked] = await requestOf(row, command, context, args)
        if (row.confirm) await confirm(given, row.confirm(words[0] ?? '', given))
        if (row.file) return void process.stdout.write(await admin.bytes(...addressOf(route, asked)))
        if (list && given['csv'] === true)
          return printCsv(list, asked, command.getOptionValueSource('limit') === 'cli', (page) =>
            admin.ask(route, page),
          )
        const answer = await admin.ask(route, asked)
        const shown = row.part?.(answer) ?? (answer as object)
        print(json, list && !list.whole ? answer[list.of] : shown, () =>
          list ? tableOf(list, answer) : (row.text?.(answer) ?? card(shown)),
        )
        if (list && !list.whole && nextOf(answer)) process.stderr.write(`There are more: --cursor ${nextOf(answer)}\n`)
        const failure = row.failure?.(answer, ...words) ?? null
        if (failure !== null) throw new CommandError(failure)
      },
      { ownUrl },
    ),
  )
  return examples(command, ...row.examples)
}

function tableOf<Answer>(list: List<Answer>, answer: Answer): string {
  const { columns, empty } = list
  return table(rowsOf(list, answer), columns, typeof empty === 'string' ? empty : empty(answer))
}

function rowsOf<Answer>({ of, rows }: List<Answer>, answer: Answer): Row[] {
  const items = answer[of] as ItemOf<Answer[keyof Answer]>[]
  return rows ? items.flatMap<Row>(rows) : (items as Row[])
}

/** Prints the columns of the table as CSV: this page, or this page and all that follow it. */
async function printCsv<Answer>(
  list: List<Answer>,
  asked: Asked,
  onePage: boolean,
  ask: (page: Asked) => Promise<Answer>,
): Promise<void> {
  process.stdout.write(csvLine([...list.columns]))
  for (let cursor: string | null | undefined; cursor !== null;) {
    const answer = await ask({ ...asked, query: { ...asked.query, ...(cursor ? { cursor } : {}) } })
    const lines = rowsOf(list, answer).map((row) => csvLine(list.columns.map((column) => safeCell(flat(row[column])))))
    process.stdout.write(lines.join(''))
    cursor = onePage ? null : nextOf(answer)
  }
}

function nextOf(answer: unknown): string | null {
  return (answer as { next_cursor?: string | null }).next_cursor ?? null
}

/** Lists of words become one text; a nested object stays JSON. */
function flat(value: unknown): unknown {
  return Array.isArray(value) && value.every((item) => typeof item !== 'object') ? value.join(' ') : value
}

/** Builds the request from arguments and options. */
async function requestOf<Route extends AdminRoute>(
  row: PlainCommand<Route>,
  command: Command,
  { admin, options: given }: Context<Record<string, unknown>>,
  args: readonly (string | string[])[],
): Promise<[Route, Asked]> {
  const { route, ofRecord, options = [], named = {}, body = {} } = row
  const sent = new Map<string, unknown>(Object.entries(body))
  for (const option of options) {
    const name = named[option.name()] ?? option.name().replaceAll('-', '_')
    const value = sentValue(option, given[option.attributeName()])
    if (value !== undefined && !(ofRecord && name === 'kind')) sent.set(name, value)
  }
  const left = command.registeredArguments.map((argument, index) => [argument.name(), args[index]] as const)
  const params = [...route.matchAll(/:(\w+)/g)].map(([, name = '']) => {
    const value = sent.get(name) ?? left.shift()?.[1]
    sent.delete(name)
    return typeof value === 'string' ? value : ''
  })
  const hasBody = left.length > 0 || options.length > 0 || row.body !== undefined
  for (const [name, value] of left) if (value !== undefined) sent.set(name, value)
  const values = Object.fromEntries(sent)
  const isQuery = /^(GET|DELETE) /.test(route)
  const asked = isQuery ? { query: values as Record<string, string> } : hasBody ? { body: values } : {}
  const kind = ofRecord && (await findKind(admin, params[0] ?? '', (given as KindOption).kind))
  return [kind ? (route.replace('/people/', `/${kind}/`) as Route) : route, { params, ...asked }]
}

/** Sends an empty value, so that the service refuses an unset shell variable instead of taking it as "all". */
function sentValue(option: Option, value: unknown): unknown {
  if (value === '' && option.long === '--reason') return undefined
  return value !== undefined && value === /\|(\w+)/.exec(option.flags)?.[1] ? null : value
}
