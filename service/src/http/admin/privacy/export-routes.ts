import { kinds, type Kind } from '@vitae/contract'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { Failure } from '../../../foundation/failure.ts'
import { exportSubjectWithCalls } from '../../../records/erasure/export-subject.ts'
import type { AppDeps } from '../../deps.ts'
import { adminRoute } from '../admin-route.ts'
import { noteAccess, nouns, refOf, RefParams } from '../records/find-record.ts'
import { SubjectExport, subjectView } from './subject-export.ts'
import { subjectPage } from './subject-page.ts'

/** Everything that is held about one person or company, for the answer to an access request. */
export function exportRoutes(app: FastifyInstance, deps: AppDeps): void {
  for (const kind of kinds) exportRoute(app, deps, kind)
}

function exportRoute(app: FastifyInstance, deps: AppDeps, kind: Kind): void {
  adminRoute(app, {
    method: 'GET',
    path: `/records/${kind}/:ref/export`,
    operationId: `export${nouns[kind]}`,
    tag: 'records',
    summary: 'Everything held about one person or company, and who received it',
    role: 'operator',
    params: RefParams,
    query: Type.Object({ format: Type.Optional(Type.Enum(['json', 'html'])) }),
    response: SubjectExport,
    produces: { 'text/html': Type.String() },
    async handle({ admin, params, query, reply }) {
      await deps.callsWritten()
      const held = await exportSubjectWithCalls(deps.store, { kind, ref: refOf(deps, kind, params.ref) })
      if (!held) throw new Failure('not_found', { detail: `Nothing is stored under ${params.ref} among the ${kind}.` })
      await noteAccess(deps, admin, 'record.export', held)
      const view = subjectView(held, deps.clock.now())
      if (query.format !== 'html') return view
      // The page shows data from outside: nothing in it may run or load.
      reply.header('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'")
      return reply.type('text/html; charset=utf-8').send(subjectPage(view))
    },
  })
}
