import Type from 'typebox'
import { closed } from './shapes.ts'

export const Health = closed({ status: Type.Enum(['ok']) }, 'The process lives.')

/** Open on purpose: loopback callers and holders of an admin token are also told the state of each part. */
export const Readiness = Type.Object(
  { status: Type.Enum(['ready', 'not_ready']) },
  { description: 'Whether calls can be answered. Callers on loopback and administrators also see details.' },
)
