import Type from 'typebox'
import { type AdminOperationRows, roles } from './operation.ts'
import { orNull } from './schemas.ts'

const SessionView = Type.Object({
  actor: Type.String(),
  actor_name: orNull(Type.String({ description: 'The label of the token; null if it has no label.' })),
  role: Type.Enum([...roles]),
  project: orNull(Type.String({ description: 'The one project it is limited to; null = all.' })),
  capabilities: Type.Array(Type.String(), {
    description: 'The operations that role and project allow, by operationId.',
  }),
  csrf: orNull(Type.String()),
})

/** The caller's own console session: signing in with an admin token, and signing out. */
export const sessionOperations = {
  signIn: {
    route: 'POST /session',
    summary: 'Sign in with an admin token',
    role: null,
    scope: 'own part',
    body: Type.Object({ token: Type.String({ minLength: 1, maxLength: 1_000 }) }),
    response: SessionView,
  },
  showSession: {
    route: 'GET /session',
    summary: 'The signed-in operator, the allowed operations, and the token that changes must carry',
    role: 'viewer',
    scope: 'own part',
    response: SessionView,
  },
  signOut: {
    route: 'DELETE /session',
    summary: 'End this session',
    role: 'viewer',
    scope: 'own part',
    response: Type.Object({
      ended: Type.Boolean(),
      sign_out_url: orNull(
        Type.String({ description: 'The URL at which the browser also signs out of the identity provider.' }),
      ),
    }),
  },
} satisfies AdminOperationRows
