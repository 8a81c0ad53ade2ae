import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import type { Project } from '../../api-types.generated.ts'
import { Button } from '../../elements/button.tsx'
import { Dialog } from '../../elements/dialogs/dialog.tsx'
import { TextField } from '../../elements/field.tsx'
import { ErrorNotice } from '../../elements/notice.tsx'
import { Panel } from '../../elements/page-head.tsx'
import { Loaded } from '../../elements/states.tsx'
import { useCan } from '../../session.tsx'
import { useAction } from '../../use-action.ts'
import { useQuery } from '../../use-query.ts'

interface Where {
  project: string
  environment: string
}

/** Which providers may answer an environment, and the form that changes it. */
export function RoutePanel({ project, environment }: Where) {
  const mayChange = useCan('setRoute')
  const [changing, setChanging] = useState(false)
  const query = useQuery(`project ${project}`, (signal) =>
    api.get<Project>(`/projects/${encodeURIComponent(project)}`, {}, signal),
  )
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

function ChangeRoute({ project, environment, providers, onDone, onClose }: Props) {
  const [names, setNames] = useState(providers?.join(', ') ?? '')
  const [reason, setReason] = useState('')
  const action = useAction()
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const list = names.split(',').flatMap((name) => name.trim() || [])
    const because = reason.trim() ? { reason: reason.trim() } : {}
    const body = { environment, providers: list.length > 0 ? list : null, ...because }
    if (await action.run(() => api.post(`/projects/${encodeURIComponent(project)}/route`, body))) onDone()
  }
  return (
    <Dialog title={`Providers of ${project}/${environment}`} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <TextField
          label="Providers"
          value={names}
          onInput={setNames}
          hint="Names from VITAE_UPSTREAM in the order in which they are asked, with commas; empty: all."
          focus
        />
        <TextField label="Reason (optional)" value={reason} onInput={setReason} hint="Stays in the audit log." />
        <ErrorNotice error={action.error} />
        <div class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={action.busy}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
