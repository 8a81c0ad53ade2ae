import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import type { AdminAnswer } from '@vitae/contract/admin'
import { Badge, type Tone } from '../../elements/badge.tsx'
import { Button } from '../../elements/button.tsx'
import { DataTable } from '../../elements/lists/data-table.tsx'
import { ErrorNotice } from '../../elements/notice.tsx'
import { Panel } from '../../elements/page-head.tsx'
import { EmptyState, Loading } from '../../elements/states.tsx'
import { hrefTo } from '../../router.ts'
import { useAction } from '../../use-action.ts'

type Finding = AdminAnswer<'runDoctor'>['checks'][number]

const tones: Record<Finding['state'], Tone> = { ok: 'good', warning: 'warning', error: 'danger' }
const places: Finding['state'][] = ['error', 'warning', 'ok']

/** The page where a finding can be fixed, by the name of its check. */
const repairs: [name: RegExp, parts: (found: string[]) => string[], text: string][] = [
  [/^(webhooks|parked events)$/, () => ['webhooks'], 'To the webhooks'],
  [/^provider /, () => ['providers'], 'To the providers'],
  [/^route of (.+)\/(.+)$/, (found) => ['projects', 'in', ...found], 'To the environment'],
  [/^retention$/, () => ['operations', 'retention'], 'To the retention'],
  [/^backup/, () => ['operations', 'backups'], 'To the backups'],
  [/^audit log$/, () => ['audit'], 'To the audit log'],
]

/**
 * Runs the doctor's checks and lists the findings. Only a click starts them, because each run sends a request to every
 * provider.
 */
export function DoctorView() {
  const [findings, setFindings] = useState<Finding[] | null>(null)
  const action = useAction()
  const look = () => action.run(async () => setFindings((await api.get('/doctor')).checks.toSorted(byState)))
  const button = (
    <Button kind="primary" icon="check" busy={action.busy} onClick={() => void look()}>
      Run the checks
    </Button>
  )
  return (
    <Panel title="What is wrong, and how to repair it" actions={button}>
      <ErrorNotice error={action.error} />
      {action.busy && findings === null ? <Loading /> : null}
      {findings === null && !action.busy ? (
        <EmptyState title="No check has run yet.">
          The checks ask each provider one cheap question, which counts in its budget, and read the store for up to 15
          seconds.
        </EmptyState>
      ) : null}
      {findings ? <Findings findings={findings} /> : null}
    </Panel>
  )
}

function byState(a: Finding, b: Finding): number {
  return places.indexOf(a.state) - places.indexOf(b.state)
}

function Findings({ findings }: { findings: Finding[] }) {
  return (
    <DataTable<Finding>
      caption="Findings, problems first"
      rows={findings}
      keyOf={({ name }) => name}
      columns={[
        { label: 'Check', head: true, cell: ({ name }) => name },
        { label: 'State', cell: ({ state }) => <Badge tone={tones[state]}>{state}</Badge> },
        { label: 'Found', cell: ({ detail }) => detail },
        { label: 'To repair it', cell: (finding) => <Repair finding={finding} /> },
      ]}
      empty={null}
    />
  )
}

function Repair({ finding: { name, mend } }: { finding: Finding }) {
  if (mend === null) return <>–</>
  const [pattern, parts, text] = repairs.find(([known]) => known.test(name)) ?? []
  return (
    <>
      {mend} {pattern && parts ? <a href={hrefTo(parts(pattern.exec(name)?.slice(1) ?? []))}>{text}</a> : null}
    </>
  )
}
