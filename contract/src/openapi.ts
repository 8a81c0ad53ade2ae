import { batchPaths } from './openapi-batches.ts'
import type { Kind } from './kinds.ts'
import { accountPaths } from './openapi-account.ts'
import { matchPaths } from './openapi-match.ts'
import { failureResponses } from './openapi-failures.ts'
import { headerComponents } from './openapi-headers.ts'
import { healthPaths } from './openapi-health.ts'
import { lookupPaths, parameterComponents } from './openapi-lookups.ts'
import { schemaComponents } from './openapi-schemas.ts'
import { eventPaths } from './openapi-events.ts'
import { usagePaths } from './openapi-usage.ts'
import { watchPaths } from './openapi-watches.ts'

export { ResolveQuery } from './openapi-account.ts'

const description = `Looks up people and companies, says in headers where each record came from and how old it is, and
never bills a call twice. Test keys (\`vt_test_...\`) answer with fictional records and cost nothing.

Answers from 1,024 bytes on are compressed for those who send \`Accept-Encoding: zstd\` or \`gzip\`.

There are no CORS headers, on purpose: a page of another site cannot call this API. A key in a page could be read by everyone who
opens it, and whoever has the key spends the credits and reads the records. Call from a server, which keeps the key.`

const apiKey = {
  type: 'apiKey',
  in: 'header',
  name: 'ApiKey',
  description: 'A key of one project and one environment. `vt_test_...` is free, `vt_live_...` spends credits.',
}

const sameKey = 'The same key in another header. Send one of them; two different values are refused.'
const bearer = { type: 'http', scheme: 'bearer', description: sameKey }

export interface DocumentFacts {
  serverUrl: string
  version: string
  /** What an answer costs, in credits. */
  prices?: Record<Kind, number>
}

/** The public API as an OpenAPI 3.1 document, made from the schemas, the failure table and the header table. */
export function openApiDocument({ serverUrl, version, prices = { people: 1, companies: 1 } }: DocumentFacts): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Vitae',
      version,
      summary: 'Professional-data lookups with honest provenance.',
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: serverUrl.replace(/\/+$/, ''), description: 'This service' }],
    tags: [
      { name: 'People', description: 'Records of people.' },
      { name: 'Companies', description: 'Records of companies.' },
      { name: 'Account', description: 'What a key may do, and what it has left.' },
      { name: 'Watches', description: 'Records that are looked at again and again for you.' },
      { name: 'Events', description: 'What happened, for programs that follow it.' },
      { name: 'Batches', description: 'Whole files of lookups, worked through in the background.' },
      { name: 'Health', description: 'Probes for load balancers and supervisors. No key needed.' },
    ],
    paths: {
      ...lookupPaths(prices),
      ...accountPaths(),
      ...usagePaths(),
      ...matchPaths(),
      ...watchPaths(),
      ...eventPaths(),
      ...batchPaths(),
      ...healthPaths(),
    },
    components: {
      securitySchemes: {
        ApiKey: apiKey,
        Bearer: bearer,
        XApiKey: { ...apiKey, name: 'X-Api-Key', description: sameKey },
      },
      parameters: parameterComponents(),
      headers: headerComponents(),
      responses: failureResponses(),
      schemas: schemaComponents(),
    },
  }
}
