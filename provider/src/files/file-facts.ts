import type { Kind } from '@vitae/contract'
import { hash } from 'node:crypto'
import type { FileFacts } from '../provider-module.ts'
import type { BilledFile, ProviderFile } from './schema.ts'

/** Collects the facts of a file for operators and for the table of providers. */
export function factsOf(file: ProviderFile): FileFacts {
  const { site, certainty, notes, people, companies, url, auth, headers, verdicts } = file
  const requests = [...(people?.requests ?? []), ...(companies?.requests ?? [])]
  const parts = [people?.requests, people?.verdicts, companies?.requests, companies?.verdicts]
  const asked = JSON.stringify([url, auth, headers, verdicts, ...parts])
  const by = (kind: Kind) => [...new Set(file[kind]?.requests.flatMap((request) => request.by) ?? [])]
  const billed = (kind: Kind) => (file[kind] ? billedText(file[kind].billed ?? file.billed ?? {}) : null)
  return {
    ...{ site, certainty, notes },
    by: { people: by('people'), companies: by('companies') },
    billed: { people: billed('people'), companies: billed('companies') },
    takesMaxAge: requests.some((request) => request.max_age_days ?? request.bypass_cache),
    isKeyInQuery: auth.query !== undefined,
    digest: hash('sha256', asked).slice(0, 16),
  }
}

function billedText({ path, header, found, not_found: miss, free_if: free }: BilledFile): string {
  const said = [
    ...(path === undefined && header === undefined ? [] : ['in the answer']),
    ...(found === undefined ? [] : [`${found} if found`]),
    ...(miss ? [`${miss} if not found`] : []),
    ...(free ? ['repeats free'] : []),
  ]
  return said.join(', ') || 'not known'
}
