/**
 * Bare `node:http` with a prepared buffer and a prepared list of headers, to measure the cost of Node alone. `PORT=0
 * node bench/peers/node-http.ts SAMPLE` with a sample answer in a file.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { SampleAnswer } from '../src/contestants/sample-answer.ts'

const sample = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as SampleAnswer
const body = Buffer.from(sample.body)
const { headers } = sample

const server = createServer({ keepAliveTimeout: 72_000 }, (_request, response) => {
  response.writeHead(200, headers)
  response.end(body)
})
server.listen({ port: Number(process.env['PORT']), host: '127.0.0.1', backlog: 4_096 })
process.once('SIGTERM', () => process.exit())
