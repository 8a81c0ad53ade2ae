import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Button } from './elements/button.tsx'
import { Notice } from './elements/notice.tsx'
import { Loading } from './elements/states.tsx'

/** A component whose code is loaded when it is first shown. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let Loaded: ComponentType<Props> | null = null
  return (props) => {
    const [state, setState] = useState<'loading' | 'loaded' | 'failed'>('loading')
    useEffect(() => {
      if (Loaded) return
      load().then(
        (found) => {
          Loaded = found
          setState('loaded')
        },
        () => setState('failed'),
      )
    }, [])
    if (Loaded) return <Loaded {...props} />
    return state === 'failed' ? <NotLoaded /> : <Loading />
  }
}

/** After an upgrade the service has other files than the open page asks for. */
function NotLoaded() {
  return (
    <Notice tone="danger">
      <p>This part of the console could not be loaded. The service was upgraded, or it cannot be reached.</p>
      <Button small icon="refresh" onClick={() => location.reload()}>
        Load the console again
      </Button>
    </Notice>
  )
}
