/** Shows on the landing page whether the service is ready. It sends no other request. */
async function showStatus(): Promise<void> {
  const link = document.querySelector<HTMLElement>('#status')
  const text = document.querySelector('#status-text')
  if (!link || !text) return
  const ready = await fetch('/readyz', { credentials: 'omit' }).then(
    (answer) => answer.ok,
    () => false,
  )
  link.dataset['state'] = ready ? 'ready' : 'not-ready'
  text.textContent = ready ? 'Ready for calls' : 'Not ready'
}

void showStatus()
