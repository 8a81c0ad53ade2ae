import type { Kind } from '@vitae/contract'
import type { Route } from '../router.ts'
import { RecordDetails } from './records/record-details.tsx'
import { RecordSearch } from './records/record-search.tsx'

/** The search for stored records, or the page of one record. */
export function RecordsPage({ route }: { route: Route }) {
  const [kind, ref] = route.rest
  if (isKind(kind) && ref)
    return <RecordDetails key={`${kind}/${ref}`} kind={kind} reference={ref} query={route.query} />
  return <RecordSearch query={route.query} />
}

function isKind(text: string | undefined): text is Kind {
  return text === 'people' || text === 'companies'
}
