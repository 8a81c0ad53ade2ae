import { useState } from 'preact/hooks'
import { api } from '../api.ts'
import type { PriceBook } from '@vitae/contract/admin'
import { Badge } from '../elements/badge.tsx'
import { Button } from '../elements/button.tsx'
import { DataTable } from '../elements/lists/data-table.tsx'
import { Pager, useCursor } from '../elements/lists/pager.tsx'
import { PageHead, Panel } from '../elements/page-head.tsx'
import { EmptyState, Loaded } from '../elements/states.tsx'
import { Time } from '../elements/time/time.tsx'
import { formatNumber } from '../format.ts'
import type { Route } from '../router.ts'
import { useCan } from '../session.tsx'
import { useQuery } from '../use-query.ts'
import { BookPreview } from './prices/book-preview.tsx'
import { lineInWords } from './prices/price-document.ts'
import { SetPrices } from './prices/set-prices.tsx'

/** The current price book, scheduled ones and the history of all price books. */
export function PricesPage({ route }: { route: Route }) {
  const maySet = useCan('setPrices')
  const [setting, setSetting] = useState(false)
  const [round, setRound] = useState(0)
  const query = useQuery(`prices ${round}`, (signal) => api.get('/prices', {}, signal))
  const done = () => {
    setSetting(false)
    setRound((count) => count + 1)
  }
  const actions = maySet ? (
    <Button kind="primary" onClick={() => setSetting(true)}>
      Set prices
    </Button>
  ) : null
  return (
    <>
      <PageHead title="Prices" actions={actions}>
        The first line that matches a call sets its price. A book never changes after it is set: a later one takes its
        place.
      </PageHead>
      <Loaded query={query}>
        {({ current, next }) => (
          <>
            {next.map((book) => (
              <Panel
                key={book.version}
                title={
                  <span>
                    Book {book.version} applies from <Time at={book.valid_from} />
                  </span>
                }
              >
                <BookTable book={book} />
                <BookPreview book={book} />
              </Panel>
            ))}
            <Panel
              title={
                current.version === 0
                  ? 'In force: the prices of the configuration'
                  : `In force: book ${current.version}`
              }
            >
              <BookTable book={current} />
            </Panel>
            {setting ? <SetPrices from={next[0] ?? current} onDone={done} onClose={() => setSetting(false)} /> : null}
          </>
        )}
      </Loaded>
      <History key={round} query={route.query} />
    </>
  )
}

interface Line {
  number: string
  fits: string
  credits: unknown
}

/** The lines of a price book: the calls each line matches, and its price. */
function BookTable({ book: { lines, parts } }: { book: PriceBook }) {
  const rows: Line[] = [
    ...lines.map((line, index) => ({ number: String(index + 1), fits: lineInWords(line), credits: line['credits'] })),
    ...parts.map((part) => ({
      number: '+',
      fits: `${String(part['part'])}, if it has a value`,
      credits: part['credits'],
    })),
  ]
  return (
    <DataTable<Line>
      caption="Lines of the price book"
      rows={rows}
      keyOf={({ number, fits }) => `${number} ${fits}`}
      columns={[
        { label: 'Line', cell: ({ number }) => number },
        { label: 'Applies to', head: true, cell: ({ fits }) => <bdi>{fits}</bdi> },
        { label: 'Credits', align: 'right', cell: ({ credits }) => formatNumber(Number(credits)) },
      ]}
      empty={<EmptyState title="The book has no line." />}
    />
  )
}

function History({ query: address }: { query: URLSearchParams }) {
  const [cursor, setCursor] = useCursor(['prices'], address)
  const query = useQuery(`price history ${cursor}`, (signal) =>
    api.get('/prices/history', { cursor, limit: 20 }, signal),
  )
  return (
    <Panel title="Books that were set">
      <Loaded query={query}>
        {({ books, next_cursor: next }) => (
          <>
            <DataTable<PriceBook>
              caption="Price books, newest first"
              rows={books}
              keyOf={({ version }) => String(version)}
              columns={[
                { label: 'Book', head: true, cell: ({ version }) => `Book ${version}` },
                { label: 'Applies from', cell: (book) => <Time at={book.valid_from} /> },
                { label: 'Set', cell: (book) => <Time at={book.set_at} /> },
                { label: 'By', cell: ({ actor }) => <bdi>{actor ?? '–'}</bdi> },
                { label: 'Lines', align: 'right', cell: ({ lines }) => <Badge>{formatNumber(lines.length)}</Badge> },
              ]}
              empty={<EmptyState title="No book was set: the configured prices apply." />}
            />
            <Pager next={next} cursor={cursor} onPage={setCursor} />
          </>
        )}
      </Loaded>
    </Panel>
  )
}
