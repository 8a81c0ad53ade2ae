import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import type { Key } from '@vitae/contract/admin'
import { SelectField, TextField } from '../../elements/field.tsx'
import { ProjectField } from '../../elements/place-fields.tsx'
import { useQuery } from '../../use-query.ts'

interface Props {
  project: string
  keyId: string
  onChoose: (project: string, keyId: string) => void
}

const shownAtMost = 50

/** Chooses the key that pays. There may be many keys, so the service filters them by project and part of the label. */
export function KeyChoice({ project, keyId, onChoose }: Props) {
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState<Key | null>(null)
  const keys = useQuery(
    `keys to choose ${project} ${text} ${keyId === '' ? '' : (chosen?.id ?? keyId)}`,
    async (signal) => {
      const wanted = { project, text, state: 'active', order: 'last_used', limit: shownAtMost }
      const found = (await api.get('/keys', wanted, signal)).keys
      if (keyId === '' || found.some(({ id }) => id === keyId)) return found
      return [await api.get('/keys/:id', { id: keyId }, signal), ...found]
    },
  )
  const found = keys.data ?? (chosen ? [chosen] : [])
  const first = found.length >= shownAtMost ? 'choose, or find another above…' : 'choose…'
  return (
    <>
      <div class="form-row">
        <ProjectField value={project} onChange={(name) => onChoose(name, '')} none="Any" />
        <TextField label="Find a key" value={text} onInput={setText} placeholder="part of its label" />
      </div>
      <SelectField
        label="Key that pays"
        value={keyId}
        options={[['', first] as const, ...found.map((key) => [key.id, titleOf(key)] as const)]}
        onChange={(id) => {
          const key = found.find((one) => one.id === id) ?? null
          setChosen(key)
          onChoose(key?.project ?? project, id)
        }}
        hint="The batch has the rights, prices, ceilings and credits of this key."
      />
    </>
  )
}

function titleOf({ label, display, project, environment, mode }: Key): string {
  return `${label || display} (${project}/${environment}, ${mode})`
}
