import { adminFailures, failures } from '@vitae/contract'
import type { FastifyInstance } from 'fastify'
import { protectedPage } from './page-headers.ts'

const pageHeaders = protectedPage({ scripts: "'none'", styles: "'none'" })

/** The page that the `type` of a problem leads to: every failure, with an anchor of its own. Not a word in it is a caller's. */
export function failurePage(app: FastifyInstance): void {
  app.get('/docs/failures', { schema: { hide: true } }, async (_request, reply) =>
    reply
      .headers(pageHeaders)
      .type('text/html; charset=utf-8')
      .send(pageOf(Object.entries({ ...failures, ...adminFailures }))),
  )
}

function pageOf(rows: [code: string, row: { status: number; title: string; retryable: boolean }][]): string {
  const items = rows.map(
    ([code, { status, title, retryable }]) =>
      `<dt id="${code}"><code>${code}</code> (${status})</dt>\n<dd>${title}. ${retryable ? 'Another try may succeed.' : 'The same call fails again.'}</dd>`,
  )
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Vitae: failures</title>
<h1>Failures</h1>
<p>No failure is ever billed. <a href="/docs">The reference</a> says which route can fail how.</p>
<dl>
${items.join('\n')}
</dl>
</html>
`
}
