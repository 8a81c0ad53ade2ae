/**
 * A bare proxy with the HTTP client of the service, to measure the cost of forwarding alone. `PORT=0 node
 * bench/peers/proxy.ts URL` with the URL of the provider.
 */
import { createServer } from 'node:http'
import { Agent } from 'undici'

const origin = process.argv[2] ?? ''
const client = new Agent({ keepAliveTimeout: 10_000 })

const server = createServer({ keepAliveTimeout: 72_000 }, (request, response) => {
  const fail = () => response.writeHead(502, { 'content-length': 0 }).end()
  const headers = { apikey: request.headers['apikey'] ?? '' }
  client
    .request({ origin, path: request.url ?? '/', method: 'GET', headers })
    .then(async ({ statusCode, body }) => {
      const bytes = Buffer.from(await body.arrayBuffer())
      response.writeHead(statusCode, { 'content-type': 'application/json', 'content-length': bytes.length }).end(bytes)
    })
    .catch(fail)
})
server.listen({ port: Number(process.env['PORT']), host: '127.0.0.1', backlog: 4_096 })
process.once('SIGTERM', () => process.exit())
