/**
 * A fair version of the service that a team would write first: Express, a PostgreSQL pool, Redis. It caches keys and
 * records in Redis, counts calls there, and charges every call in its own transaction. Its responses have the same
 * bytes and the same number of headers as Vitae's.
 */
import { createHash, randomUUID } from 'node:crypto'
import express, { type Request, type Response } from 'express'
import { Redis } from 'ioredis'
import pg from 'pg'

interface Key {
  id: string
  account: number
}

interface CachedRecord {
  fetchedAt: string
  body: string
}

const windowSeconds = 60
const callsPerWindow = 999_999_999
const cachedSeconds = 3_600

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 20 })
const redis = new Redis(process.env['REDIS_URL'] ?? '')
const app = express()
app.disable('x-powered-by')
app.disable('etag')

// oxlint-disable-next-line oxc/no-async-endpoint-handlers -- Express 5 passes a rejection on to its error handler
app.get('/v1/people/profile', async (request: Request, response: Response): Promise<Response> => {
  const key = await findKey(request.get('ApiKey') ?? '')
  if (!key) return response.status(401).type('text').send('invalid_api_key')
  const calls = await countCall(key)
  if (calls > callsPerWindow) return response.status(429).type('text').send('rate_limit_exceeded')
  const slug = request.query['profile_id']
  const record = typeof slug === 'string' ? await findRecord(slug) : null
  if (!record) return response.status(404).json({ code: 'not_found' })
  const requestId = randomUUID()
  const balance = await charge(key, requestId)
  if (balance === null) return response.status(402).type('text').send('out_of_credits')
  const ageSeconds = Math.floor((Date.now() - Date.parse(record.fetchedAt)) / 1_000)
  response.set({
    'X-Request-Id': requestId,
    'Cache-Control': 'private, no-store',
    Vary: 'ApiKey',
    'X-Content-Type-Options': 'nosniff',
    'X-RateLimit-Limit': String(callsPerWindow),
    'X-RateLimit-Remaining': String(callsPerWindow - calls),
    'X-RateLimit-Reset': String(windowSeconds),
    'X-Data-Source': 'store',
    'X-Fetched-At': record.fetchedAt,
    'X-Data-Age-Seconds': String(ageSeconds),
    'X-Credits-Charged': '1',
    'X-Credits-Remaining': String(balance),
  })
  return response.type('json').send(record.body)
})

app.get('/balance', async (_request: Request, response: Response) => {
  const { rows } = await pool.query<{ balance: string }>('select balance from accounts')
  response.json({ balance: Number(rows[0]?.balance) })
})

async function findKey(text: string): Promise<Key | null> {
  const hash = createHash('sha256').update(text).digest('hex')
  const cached = await redis.get(`key:${hash}`)
  if (cached !== null) return JSON.parse(cached) as Key
  const { rows } = await pool.query<Key>('select id, account from keys where hash = $1', [hash])
  const [key] = rows
  if (key) await redis.set(`key:${hash}`, JSON.stringify(key), 'EX', windowSeconds)
  return key ?? null
}

async function countCall({ id }: Key): Promise<number> {
  const name = `rate:${id}:${Math.floor(Date.now() / 1_000 / windowSeconds)}`
  const calls = await redis.incr(name)
  if (calls === 1) await redis.expire(name, windowSeconds)
  return calls
}

async function findRecord(slug: string): Promise<CachedRecord | null> {
  const cached = await redis.hmget(`record:${slug}`, 'fetchedAt', 'body')
  const [fetchedAt, body] = cached
  if (fetchedAt && body) return { fetchedAt, body }
  const { rows } = await pool.query<{ fetched_at: Date; body: string }>(
    'select fetched_at, body from records where slug = $1',
    [slug],
  )
  const [row] = rows
  if (!row) return null
  const record = { fetchedAt: row.fetched_at.toISOString().replace('Z', '+00:00'), body: row.body }
  await redis.multi().hset(`record:${slug}`, record).expire(`record:${slug}`, cachedSeconds).exec()
  return record
}

/** The balance after the charge; null if the account is empty. */
async function charge(key: Key, requestId: string): Promise<number | null> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const { rows } = await client.query<{ balance: string }>(
      'update accounts set balance = balance - 1 where id = $1 and balance >= 1 returning balance',
      [key.account],
    )
    const [account] = rows
    if (account)
      await client.query('insert into usage (request_id, key_id, credits) values ($1, $2, 1)', [requestId, key.id])
    await client.query('commit')
    return account ? Number(account.balance) : null
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

app.listen(Number(process.env['PORT']), '127.0.0.1', 4_096)
process.once('SIGTERM', () => process.exit())
