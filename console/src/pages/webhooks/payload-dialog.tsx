import { api } from '../../api.ts'
import { Dialog } from '../../elements/dialogs/dialog.tsx'
import { JsonView } from '../../elements/json-view.tsx'
import { Loaded } from '../../elements/states.tsx'
import { useQuery } from '../../use-query.ts'

/**
 * Shows the payload of an event. The service records the read in the audit log, because a payload may contain personal
 * data.
 */
export function PayloadDialog({ id, event, onClose }: { id: string; event: string; onClose: () => void }) {
  const query = useQuery(`payload ${id} ${event}`, (signal) =>
    api.get('/webhooks/:id/events/:event', { id, event }, signal),
  )
  return (
    <Dialog title="The payload" wide onClose={onClose}>
      <p class="faint">
        <code>{event}</code>. Reading it is recorded in the audit log.
      </p>
      <Loaded query={query}>{({ body, type }) => <JsonView text={body} label={`payload of ${type}`} />}</Loaded>
    </Dialog>
  )
}
