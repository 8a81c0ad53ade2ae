/** One response of Vitae, which the peers return too: the same bytes, and headers of the same number and size. */
export interface SampleAnswer {
  headers: string[]
  body: string
}

// Node's server adds these itself, for Vitae and for the peers.
const hopByHop = new Set(['date', 'connection', 'keep-alive'])

/** Requests a record twice, so that the second response comes from the store, and keeps it. */
export async function takeSample(url: string, key: string, slug: string): Promise<SampleAnswer> {
  const ask = () =>
    fetch(`${url}/v1/people/profile?profile_id=${slug}`, { headers: { ApiKey: key, 'Accept-Encoding': 'identity' } })
  await (await ask()).arrayBuffer()
  const response = await ask()
  const body = await response.text()
  if (response.status !== 200) throw new Error(`no sample answer: ${response.status} ${body}`)
  if (key.startsWith('vt_live_') && response.headers.get('x-data-source') !== 'store')
    throw new Error('the sample is no store hit, so that the figures would be about something else')
  return { headers: [...response.headers].filter(([name]) => !hopByHop.has(name)).flat(), body }
}
