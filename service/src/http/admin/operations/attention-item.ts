import Type, { type Static } from 'typebox'

const kinds = [
  ...(['provider', 'environment', 'budget', 'key', 'backup', 'disk', 'work'] as const),
  ...(['webhook', 'batch', 'failures', 'finding'] as const),
] as const

/** One thing that needs a person. */
export const Attention = Type.Object({
  level: Type.Enum(['danger', 'warning']),
  kind: Type.Enum([...kinds]),
  name: Type.String({ description: 'Of the provider, environment, key and so on.' }),
  detail: Type.String(),
  advice: Type.String({ description: 'What to do about it.' }),
  state: Type.Optional(
    Type.Enum(['paused', 'failing', 'parked', 'failed'], { description: 'Of a webhook, batch or provider.' }),
  ),
  id: Type.Optional(Type.String({ description: 'Of the webhook, batch or provider.' })),
  project: Type.Optional(Type.String()),
  environment: Type.Optional(Type.String()),
  key_id: Type.Optional(Type.String()),
  code: Type.Optional(Type.String({ description: 'The most frequent failure of recent calls.' })),
})
export type Attention = Static<typeof Attention>
