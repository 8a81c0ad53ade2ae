import { CodeBlock } from '../../elements/copy-button.tsx'
import { Panel } from '../../elements/page-head.tsx'
import { knownOf, lookupHeaders, lookupPath, matchBody, type LookupRequest } from './lookup-request.ts'

/** The same call for curl and for our client. The samples name the key's variable, never its value. */
export function CodeSamples({ request }: { request: LookupRequest }) {
  return (
    <Panel title="The same call elsewhere">
      <div class="panel-body stack">
        <div class="stack-tight">
          <h3>curl</h3>
          <CodeBlock text={curlText(request, location.origin)} label="curl command" />
        </div>
        <div class="stack-tight">
          <h3>TypeScript client</h3>
          <CodeBlock text={clientText(request, location.origin)} label="client code" />
        </div>
      </div>
    </Panel>
  )
}

/** The call as a curl command for a POSIX shell. The key comes from the environment. */
export function curlText(request: LookupRequest, origin: string): string {
  const headers = Object.entries(lookupHeaders(request)).map(([name, value]) => ` \\\n-H ${quote(`${name}: ${value}`)}`)
  const body = matchBody(request)
  const data = body === null ? '' : ` \\\n-d ${quote(body)}`
  return `curl -i -H "ApiKey: $VITAE_KEY"${headers.join('')}${data} \\\n${quote(origin + lookupPath(request))}`
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** The call as code for our client. */
export function clientText(request: LookupRequest, origin: string): string {
  const people = request.kind === 'people'
  const matches = request.by === 'match'
  const options = {
    ...(people && request.network ? { includeNetworkInfo: true } : {}),
    ...(people && request.contact ? { includeContactInfo: true } : {}),
    ...(people && request.verifications ? { getVerificationDetails: true } : {}),
    ...(request.maxAgeDays.trim() ? { maxAgeDays: Number(request.maxAgeDays) } : {}),
    ...(request.bypassCache ? { bypassCache: true } : {}),
    ...(request.onlyIfCached ? { onlyStored: true } : {}),
    ...(request.refuseStale ? { refuseStale: true } : {}),
    ...(matches && request.minLikelihood.trim() ? { minLikelihood: Number(request.minLikelihood) } : {}),
    ...(request.idempotencyKey.trim() ? { idempotencyKey: request.idempotencyKey.trim() } : {}),
  }
  const given = Object.entries(options).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  const call = matches ? `${request.kind}.match` : people ? 'people.profile' : 'companies.details'
  const asked = JSON.stringify(matches ? clientNames(knownOf(request)) : request.id.trim())
  const shown = matches ? 'answer.likelihood, answer.matchedOn' : 'answer.source, answer.ageSeconds'
  return [
    `import { VitaeClient } from '@vitae/client'`,
    '',
    `const vitae = new VitaeClient({ baseUrl: '${origin}', apiKey: process.env.VITAE_KEY })`,
    `const answer = await vitae.${call}(${asked}${given.length > 0 ? `, { ${given.join(', ')} }` : ''})`,
    `console.log(${shown}, answer.record)`,
  ].join('\n')
}

/** Converts names to the client's camelCase: `company_domain` becomes `companyDomain`. */
function clientNames(known: Record<string, string>): Record<string, string> {
  const spelt = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  return Object.fromEntries(Object.entries(known).map(([name, value]) => [spelt(name), value]))
}
