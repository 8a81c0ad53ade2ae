import { type AdminAnswer, adminOperations } from '@vitae/contract/admin'
import { Failure } from '../../../foundation/failure.ts'
import { encode } from '../../../foundation/schema/encode.ts'
import { exportSubjectWithCalls } from '../../../lifecycle/store/erasure/export-subject.ts'
import { subjectPage } from '../../../lifecycle/erasure/subject-page.ts'
import { noteAccess, refOf } from '../../../operators/find-record.ts'
import { subjectExport } from '../../../operators/subject-export.ts'
import { type AdminHandlers, ofKinds } from '../route/admin-route.ts'

const exportSubject = ofKinds<'exportPerson'>(async (kind, { admin, params, query, reply }, deps) => {
  await deps.callsWritten()
  const held = await exportSubjectWithCalls(deps.store, { kind, ref: refOf(deps, kind, params.ref) })
  if (!held) throw new Failure('not_found', { detail: `Nothing is stored under ${params.ref} among the ${kind}.` })
  await noteAccess(deps, admin, 'record.export', held)
  const facts = subjectExport(held, deps.clock.now())
  const answer = encode(adminOperations.exportPerson.response, facts) as AdminAnswer<'exportPerson'>
  if (query.format !== 'html') return answer
  // The page contains external data, so nothing in it may run or load.
  reply.header('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'")
  return reply.type('text/html; charset=utf-8').send(subjectPage(answer))
})

/** Exports all data about one person or company, to answer an access request. */
export const exportHandlers = {
  exportPerson: exportSubject.people,
  exportCompany: exportSubject.companies,
} satisfies Partial<AdminHandlers>
