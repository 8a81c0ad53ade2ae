import type { AppDeps } from '../../deps.ts'
import { type AdminAnswer, type AdminQuery, adminOperations } from '@vitae/contract/admin'
import type { FastifyReply } from 'fastify'
import type { Kind } from '@vitae/contract'
import { Failure } from '../../../foundation/failure.ts'
import { encode } from '../../../foundation/schema/encode.ts'
import { exportSubjectWithCalls } from '../../../lifecycle/erasure/export-subject.ts'
import { subjectPage } from '../../../lifecycle/erasure/subject-page.ts'
import { noteAccess, refOf } from '../../../operators/find-record.ts'
import { subjectExport } from '../../../operators/subject-export.ts'
import type { AdminCall, AdminHandlers } from '../admin-route.ts'

const exportSubject =
  (kind: Kind) =>
  async (
    { admin, params, query, reply }: AdminCall<{ ref: string }, AdminQuery<'exportPerson'>>,
    deps: AppDeps,
  ): Promise<AdminAnswer<'exportPerson'> | FastifyReply> => {
    await deps.callsWritten()
    const held = await exportSubjectWithCalls(deps.store, { kind, ref: refOf(deps, kind, params.ref) })
    if (!held) throw new Failure('not_found', { detail: `Nothing is stored under ${params.ref} among the ${kind}.` })
    await noteAccess(deps, admin, 'record.export', held)
    const facts = subjectExport(held, deps.clock.now())
    const answer = encode(adminOperations.exportPerson.response, facts) as AdminAnswer<'exportPerson'>
    if (query.format !== 'html') return answer
    // The page shows data from outside: nothing in it may run or load.
    reply.header('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'")
    return reply.type('text/html; charset=utf-8').send(subjectPage(answer))
  }

/** Everything that is held about one person or company, for the answer to an access request. */
export const exportHandlers = {
  exportPerson: exportSubject('people'),
  exportCompany: exportSubject('companies'),
} satisfies Partial<AdminHandlers>
