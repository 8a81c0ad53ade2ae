import Type from 'typebox'
import { type AdminOperationRows, roles } from './operation.ts'
import { orNull } from './schemas.ts'

const SessionView = Type.Object({
  actor: Type.String(),
  actor_name: orNull(
    Type.String({ description: 'The label of the admin token that signed in; null if the token has no label.' }),
  ),
  role: Type.Enum([...roles]),
  project: orNull(Type.String({ description: 'The only project that this session may use; null = all projects.' })),
  capabilities: Type.Array(Type.String(), {
    description: 'The operationIds of the operations that the role and the project of this session allow.',
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
    summary: 'Show the signed-in operator, the allowed operations, and the CSRF token that every change must send',
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
        Type.String({ description: 'Open this URL in the browser to sign out of the identity provider too.' }),
      ),
    }),
  },
} satisfies AdminOperationRows
