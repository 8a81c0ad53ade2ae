import { useState } from 'preact/hooks'
import { PageHead, Panel } from '../elements/page-head.tsx'
import { EmptyState, Loading } from '../elements/states.tsx'
import { useAction } from '../use-action.ts'
import { AnswerView } from './playground/answer-view.tsx'
import { CodeSamples } from './playground/code-samples.tsx'
import { firstRequest } from './playground/lookup-request.ts'
import { RequestForm } from './playground/request-form.tsx'
import { sendLookup, type LookupAnswer } from './playground/send-lookup.ts'

/**
 * Sends lookups and matches from the console. The key stays in this component's memory and is sent only with the
 * request.
 */
export function PlaygroundPage() {
  const [request, setRequest] = useState(firstRequest)
  const [key, setKey] = useState('')
  const [answer, setAnswer] = useState<LookupAnswer | null>(null)
  const action = useAction()
  const send = () =>
    void action.run(async () => {
      setAnswer(null)
      setAnswer(await sendLookup(request, key.trim()))
    })
  return (
    <>
      <PageHead title="Playground">
        A call as your programs make it. Test keys are free and know only sample records.
      </PageHead>
      <div class="playground">
        <div class="stack">
          <Panel title="Request">
            <RequestForm
              request={request}
              onChange={setRequest}
              apiKey={key}
              onKey={setKey}
              busy={action.busy}
              onSend={send}
            />
          </Panel>
          <CodeSamples request={request} />
        </div>
        <div aria-live="polite" aria-busy={action.busy}>
          {answer ? (
            <AnswerView answer={answer} kind={answer.kind} />
          ) : (
            <Panel title="Answer">
              {action.busy ? (
                <Loading lines={6} />
              ) : (
                <EmptyState title="Nothing was sent yet.">Paste a key, enter an identifier, and send.</EmptyState>
              )}
            </Panel>
          )}
        </div>
      </div>
    </>
  )
}
