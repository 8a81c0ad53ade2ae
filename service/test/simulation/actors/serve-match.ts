import type { Clock } from '../../../src/foundation/clock.ts'
import { Failure } from '../../../src/foundation/failure.ts'
import { newRequestId } from '../../../src/foundation/request-id.ts'
import { authorize, newProgress } from '../../../src/http/lookup/authorize.ts'
import type { LookupRequest } from '../../../src/http/exchange/lookup-request.ts'
import { failureResponse, toFailure } from '../../../src/http/exchange/failure-response.ts'
import { answerForKey } from '../../../src/lookup/ended-call.ts'
import { answerMatch, lookupOf, type MatchAsk } from '../../../src/lookup/answer-match.ts'
import { readPersonInput } from '../../../src/lookup/match-input.ts'
import type { Answer } from '../laws/call.ts'
import type { Life } from '../world/simulated-service.ts'
import { parseIdempotencyKey } from '../../../src/http/exchange/parse-lookup.ts'

const noParts = { network: false, contact: false, verifications: false }

/** Serves a match by an address like its route, after the body is parsed. */
export async function serveMatch(
  { service }: Life,
  request: LookupRequest,
  email: string,
  { bypassCache, clock: ofCaller }: { bypassCache: boolean; clock: Clock },
): Promise<Answer> {
  const { clock } = service.lookup
  const progress = newProgress(newRequestId(), clock.now())
  try {
    const caller = await authorize(service, request, progress)
    if (caller instanceof Failure) throw caller
    const complain = (parameter: string) => (detail: string) => {
      throw new Error(`${parameter} ${detail}`)
    }
    const ask: MatchAsk = {
      kind: 'people',
      input: readPersonInput({ email }, complain),
      named: null,
      options: {
        requestId: progress.requestId,
        startedAt: progress.startedAt,
        include: noParts,
        freshness: { maxAgeDays: null, bypassCache, onlyStored: false, refuseStale: false },
        fields: null,
        require: null,
        idempotencyKey: parseIdempotencyKey(request.headers.idempotencyKey),
        spendTag: null,
        isGone: () => false,
      },
    }
    const lookup = lookupOf(service.lookup, ask)
    const answer = await answerForKey(service, caller, lookup, (one) => answerMatch(service.lookup, caller, ask, one))
    const at = clock.now()
    const headers: [string, unknown][] = [
      ['x-request-id', progress.requestId],
      ['x-data-source', answer.source],
      ['x-fetched-at', new Date(answer.fetchedAt).toISOString()],
      ['x-data-age-seconds', answer.source === 'live' ? 0 : Math.floor((at - answer.fetchedAt) / 1_000)],
      ['x-credits-charged', answer.credits?.charged ?? 0],
      ['x-match-likelihood', answer.likelihood],
      ['x-record-thin', answer.thin],
      ...(answer.replay ? [['idempotent-replayed', true] as [string, unknown]] : []),
    ]
    const told = new Map(headers.map(([name, value]) => [name, String(value)]))
    return { status: 200, headers: told, body: answer.body.toBuffer().toString(), at: ofCaller.now() }
  } catch (error) {
    const { status, body } = failureResponse(toFailure(error), progress.requestId, true)
    const headers = new Map([['x-request-id', progress.requestId]])
    return { status, headers, body: String(body), at: ofCaller.now() }
  }
}
