import { filledFrom } from '../lookup/filled-from.ts'
import type { CompanyMatch, Kind, matchOperations, PersonMatch } from '@vitae/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Caller, missingRight } from '../../accounts/caller.ts'
import { Complaints, plainFailure } from '../../foundation/failure.ts'
import { answerForKey } from '../../lookup/ended-call.ts'
import { type Lookup, parseFields, parseRequire, partsLeft } from '../../lookup/asked/lookup.ts'
import {
  answerMatch,
  lookupOf,
  preflightMatch,
  withEmployer,
  type MatchAnswer,
  type MatchAsk,
} from '../../lookup/answer-match.ts'
import { readCompanyInput, readPersonInput } from '../../lookup/match-input.ts'
import { parseIdentifier } from '../../records/identifiers/parse-identifier.ts'
import type { HttpDeps } from '../exchange/deps.ts'
import { isGoneOf } from '../lookup/lookup-routes.ts'
import { parseCacheControl, parseSpendTag, parseIdempotencyKey } from '../exchange/parse-lookup.ts'
import { leaveToLookup, type Handlers } from './caller-route.ts'
import { preflightView } from './record-handlers.ts'
import { timeWithOffset } from '../lookup/serve-lookup.ts'

/** Matches personal data to a record. The data is sent only in bodies, never in URLs. */
export function matchHandlers(deps: HttpDeps): Handlers<typeof matchOperations> {
  const personAsk = (call: MatchCall & { body: PersonMatch }) =>
    withEmployer(deps.lookup, call.caller, askOf(deps, 'people', call, call.body))
  return {
    matchPerson: async (call) => serve(deps, call, await personAsk(call)),
    async preflightPersonMatch(call) {
      const ask = await personAsk(call)
      return preflightView(await preflightMatch(deps.lookup, call.caller, ask, lookupOf(deps.lookup, ask)))
    },
    matchCompany: async (call) => serve(deps, call, askOf(deps, 'companies', call, call.body)),
  }
}

export interface MatchCall {
  caller: Caller
  request: FastifyRequest
  reply: FastifyReply
}

/** Reads a match from a body or one of its members. All faults are reported together, without the values. */
export function askOf(
  deps: HttpDeps,
  kind: Kind,
  { caller, request }: MatchCall,
  body: PersonMatch & CompanyMatch,
  member = '',
): MatchAsk {
  const complaints = new Complaints()
  const complain = (parameter: string) => (detail: string) => void complaints.add(`${member}${parameter}`, detail)
  const include = {
    network: body.include_network_info ?? false,
    contact: body.include_contact_info ?? false,
    verifications: body.get_verification_details ?? false,
  }
  const lacked = missingRight(caller, kind, (part) => include[part])
  if (lacked) throw plainFailure(lacked)
  const input = kind === 'people' ? readPersonInput(body, complain) : readCompanyInput(body, complain)
  const fields = parseFields(kind, body.fields?.toString(), complain('fields'))
  const require = parseRequire(kind, body.require?.toString(), include, complain('require'))
  complaints.throwAny()
  const id = kind === 'people' ? body.profile_id : body.company_id
  const employer = kind === 'people' ? body.company_id : undefined
  const { headers } = request
  return {
    kind,
    input,
    employer: employer === undefined ? null : parseIdentifier('companies', employer, deps.lookupParser.hosts),
    named: id === undefined ? null : parseIdentifier(kind, id, deps.lookupParser.hosts),
    options: {
      requestId: request.id,
      startedAt: deps.clock.now(),
      include: partsLeft(include, fields),
      freshness: {
        maxAgeDays: body.max_age_days ?? null,
        bypassCache: body.bypass_cache ?? false,
        ...parseCacheControl(headers['cache-control']),
      },
      fields,
      require,
      idempotencyKey: parseIdempotencyKey(headers['idempotency-key']),
      spendTag: parseSpendTag(headers['x-spend-tag']?.toString()),
      isGone: isGoneOf(request.raw),
    },
  }
}

async function serve(deps: HttpDeps, call: MatchCall, ask: MatchAsk): Promise<FastifyReply> {
  const { reply } = call
  const { answer } = await runMatch(deps, call, ask)
  setDataHeaders(deps, reply, answer)
  // Sent as bytes, like a lookup.
  return reply.serializer((body) => body as string).send(answer.body.toBuffer())
}

/** Runs and charges a match. Reply headers state its likelihood and cost. */
export async function runMatch(
  deps: HttpDeps,
  { caller, request, reply }: MatchCall,
  ask: MatchAsk,
): Promise<{ answer: MatchAnswer; lookup: Lookup }> {
  const lookup = lookupOf(deps.lookup, ask)
  leaveToLookup(request)
  const answer = await answerForKey(deps, caller, lookup, (counted) => answerMatch(deps.lookup, caller, ask, counted))
  const given = ask.options.spendTag
  if (given && lookup.spendTag && lookup.spendTag !== given) reply.header('X-Spend-Tag-Counted-As', lookup.spendTag)
  const { likelihood, matchedOn, credits, replay } = answer
  reply.headers({
    ...(likelihood === null
      ? {}
      : { 'X-Match-Likelihood': likelihood.toFixed(2), 'X-Matched-On': matchedOn.join(', ') }),
    ...(credits ? { 'X-Credits-Charged': credits.charged } : {}),
    ...(replay ? { 'Idempotent-Replayed': 'true' } : {}),
  })
  return { answer, lookup }
}

function setDataHeaders({ clock }: HttpDeps, reply: FastifyReply, answer: MatchAnswer): void {
  const { source, fetchedAt, sourceUpdatedAt, filled, thin } = answer
  const age = source === 'live' ? 0 : Math.max(0, Math.floor((clock.now() - fetchedAt) / 1_000))
  reply.headers({
    'Content-Type': 'application/json; charset=utf-8',
    'X-Data-Source': source,
    'X-Fetched-At': timeWithOffset(fetchedAt),
    'X-Data-Age-Seconds': age,
    ...(sourceUpdatedAt === null ? {} : { 'X-Source-Updated-At': timeWithOffset(sourceUpdatedAt) }),
    ...(filled ? { 'X-Filled-From': filledFrom(filled, clock.now()) } : {}),
    ...(thin ? { 'X-Record-Thin': 'true' } : {}),
  })
}
