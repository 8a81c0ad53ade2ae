/** Throws in a browser, where anyone who opens the page could read the key and spend credits. No option allows it. */
export function refuseBrowser(scope: object = globalThis): void {
  const { window, document, importScripts, process } = scope as { [name: string]: unknown }
  const isPage = window !== undefined && document !== undefined
  const isWebWorker = typeof importScripts === 'function' && process === undefined
  if (!isPage && !isWebWorker) return
  throw new Error(
    'VitaeClient does not run in browsers: everyone who opens the page could read the API key and spend your credits. ' +
      'Call Vitae from your server and let the page ask your server.',
  )
}
