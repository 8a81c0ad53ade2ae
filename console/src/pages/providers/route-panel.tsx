import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { Button } from '../../elements/button.tsx'
import { because, FormDialog, ReasonField } from '../../elements/dialogs/form-dialog.tsx'
import { SelectField } from '../../elements/field.tsx'
import { Panel } from '../../elements/page-head.tsx'
import { Loaded } from '../../elements/states.tsx'
import { useCan } from '../../session.tsx'
import { useQuery } from '../../use-query.ts'

interface Where {
  project: string
  environment: string
}

/** The providers that an environment uses, and the form to change them. */
export function RoutePanel({ project, environment }: Where) {
  const mayChange = useCan('setRoute')
  const [changing, setChanging] = useState(false)
  const query = useQuery(`project ${project}`, (signal) => api.get('/projects/:project', { project }, signal))
  const done = () => {
    setChanging(false)
    query.reload()
  }
  return (
    <Panel title="Providers" actions={mayChange ? <Button onClick={() => setChanging(true)}>Change</Button> : null}>
      <Loaded query={query}>
        {({ environments }) => {
          const providers = environments.find(({ name }) => name === environment)?.providers ?? null
          return (
            <>
              <p class="panel-body">
                {providers
                  ? `${providers.join(', then ')}, and no others: neither fetched nor served from the store.`
                  : 'All of the chain, in its order.'}
              </p>
              {changing ? (
                <ChangeRoute
                  {...{ project, environment, providers }}
                  onDone={done}
                  onClose={() => setChanging(false)}
                />
              ) : null}
            </>
          )
        }}
      </Loaded>
    </Panel>
  )
}

interface Props extends Where {
  providers: string[] | null
  onDone: () => void
  onClose: () => void
}

function ChangeRoute({ project, environment, providers, ...rest }: Props) {
  const [chosen, setChosen] = useState(providers ?? [])
  const [reason, setReason] = useState('')
  const query = useQuery('providers', (signal) => api.get('/providers', {}, signal))
  const body = { environment, providers: chosen.length > 0 ? chosen : null, ...because(reason) }
  return (
    <FormDialog
      title={`Providers of ${project}/${environment}`}
      send={() => api.post('/projects/:project/route', { project, ...body })}
      done={() => ({
        text: `Providers of ${project}/${environment}: saved.`,
        undo: () => api.post('/projects/:project/route', { project, environment, providers }),
      })}
      {...rest}
    >
      <Loaded query={query}>
        {({ providers: all }) => (
          <ProviderChoices
            // A chosen provider stays listed after it left the chain, so that the user can remove it.
            names={[...new Set([...all.filter(({ in_chain }) => in_chain).map(({ name }) => name), ...chosen])]}
            chosen={chosen}
            onChange={setChosen}
          />
        )}
      </Loaded>
      <ReasonField value={reason} onInput={setReason} />
    </FormDialog>
  )
}

interface ChoiceProps {
  names: string[]
  chosen: string[]
  onChange: (chosen: string[]) => void
}

/** One select per chosen provider, in the order of use, and an empty one to add the next. */
function ProviderChoices({ names, chosen, onChange }: ChoiceProps) {
  const places = chosen.length < names.length ? [...chosen, ''] : chosen
  return (
    <>
      {places.map((name, place) => {
        const left = names.filter((other) => other === name || !chosen.includes(other))
        const none = chosen.length === 0 ? 'All of the chain, in its order' : 'No other'
        return (
          <SelectField
            key={place}
            label={place === 0 ? 'Asked first' : `Asked ${place + 1}${place === 1 ? 'nd' : place === 2 ? 'rd' : 'th'}`}
            value={name}
            options={[['', none] as const, ...left.map((other) => [other, other] as const)]}
            onChange={(next) => onChange([...chosen.slice(0, place), next, ...chosen.slice(place + 1)].filter(Boolean))}
          />
        )
      })}
    </>
  )
}
