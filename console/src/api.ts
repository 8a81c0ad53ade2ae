/** A refused or failed request, with the status, code, request id and field errors that the service returned. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly requestId: string | null
  readonly errors: { parameter: string; detail: string }[]

  constructor(
    message: string,
    facts: { status: number; code: string; requestId: string | null; errors?: { parameter: string; detail: string }[] },
  ) {
    super(message)
    this.name = 'ApiError'
    this.status = facts.status
    this.code = facts.code
    this.requestId = facts.requestId
    this.errors = facts.errors ?? []
  }
}

interface Upload {
  idempotencyKey: string
  signal: AbortSignal
}

/** After this time without input, requests are marked unattended, so that polling does not keep the session alive. */
const unattendedAfterMs = 60_000

type Query = Record<string, string | number | boolean | null | undefined>

/** Client of the admin API. The browser sends the session cookie; the CSRF token is kept in memory only. */
class AdminApi {
  csrf: string | null = null
  /** Set when the service rejects the session. Until the next sign-in, requests fail without being sent. */
  hasEnded = false
  /** Called when the service rejects the session. */
  onSignedOut: () => void = () => {}
  #touchedAt = Date.now()

  constructor() {
    for (const type of ['pointerdown', 'keydown', 'wheel', 'touchmove'])
      addEventListener(type, () => (this.#touchedAt = Date.now()), { passive: true, capture: true })
  }

  get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
    return this.#json<T>('GET', withQuery(path, query), undefined, signal)
  }

  post<T>(path: string, body: unknown = {}): Promise<T> {
    return this.#json<T>('POST', path, body)
  }

  patch<T>(path: string, body: unknown): Promise<T> {
    return this.#json<T>('PATCH', path, body)
  }

  delete<T>(path: string, body?: unknown): Promise<T> {
    return this.#json<T>('DELETE', path, body)
  }

  /** Returns the response body as text, for raw payloads and files. */
  async text(path: string, query: Query = {}): Promise<string> {
    const answer = await this.#send('GET', withQuery(path, query))
    return answer.text()
  }

  /** Saves the response as a file. Unlike a plain link, it reports failures and an ended session. */
  async download(path: string, name: string, query: Query = {}): Promise<void> {
    const answer = await this.#send('GET', withQuery(path, query))
    const body = await answer.blob()
    // Excel reads a CSV file as UTF-8 only if it starts with a byte order mark.
    const url = URL.createObjectURL(body.type.startsWith('text/csv') ? new Blob(['\uFEFF', body]) : body)
    const link = document.createElement('a')
    link.href = url
    link.download = name
    link.click()
    setTimeout(() => URL.revokeObjectURL(url), 10_000)
  }

  /** Uploads a CSV file unchanged. A retry with the same `idempotencyKey` is the same request. */
  async upload<T>(path: string, query: Query, file: Blob, { idempotencyKey, signal }: Upload): Promise<T> {
    const answer = await this.#send('POST', withQuery(path, query), file, signal, { 'Idempotency-Key': idempotencyKey })
    return (await answer.json()) as T
  }

  async #json<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
    const answer = await this.#send(method, path, body, signal)
    return (await answer.json()) as T
  }

  async #send(
    method: string,
    path: string,
    body?: unknown,
    signal?: AbortSignal,
    more: Record<string, string> = {},
  ): Promise<Response> {
    if (this.hasEnded && path !== '/session') throw sessionEnded()
    const headers: Record<string, string> = { Accept: 'application/json', ...more }
    const isFile = body instanceof Blob
    if (body !== undefined) headers['Content-Type'] = isFile ? 'text/csv' : 'application/json'
    if (Date.now() - this.#touchedAt > unattendedAfterMs) headers['X-Unattended'] = '1'
    if (method !== 'GET' && this.csrf !== null) headers['X-Csrf-Token'] = this.csrf
    const answer = await fetch(`/admin/v1${path}`, {
      method,
      headers,
      credentials: 'same-origin',
      ...(body === undefined ? {} : { body: isFile ? body : JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    }).catch((error: unknown) => {
      if (signal?.aborted) throw error
      throw new ApiError('The service cannot be reached.', { status: 0, code: 'unreachable', requestId: null })
    })
    if (answer.ok) return answer
    if (answer.status === 401 && path !== '/session') {
      this.hasEnded = true
      this.onSignedOut()
      throw sessionEnded()
    }
    throw await readFailure(answer)
  }
}

export const api = new AdminApi()

/** Shown at the request that failed. The sign-in dialog above the pages tells the user what to do. */
function sessionEnded(): ApiError {
  return new ApiError('The session has ended.', { status: 401, code: 'admin_token_required', requestId: null })
}

function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === null || value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  return given.length > 0 ? `${path}?${new URLSearchParams(given)}` : path
}

async function readFailure(answer: Response): Promise<ApiError> {
  const requestId = answer.headers.get('x-request-id')
  const text = await answer.text()
  try {
    // The service sends RFC 9457 problems. Any other body makes JSON.parse throw.
    const problem = JSON.parse(text) as {
      detail: string
      code: string
      errors?: { parameter: string; detail: string }[]
    }
    return new ApiError(withoutCommands(problem.detail) || problem.detail, {
      status: answer.status,
      code: problem.code,
      requestId,
      errors: problem.errors ?? [],
    })
  } catch {
    return new ApiError(`The service answered ${answer.status}.`, { status: answer.status, code: 'unknown', requestId })
  }
}

/**
 * Removes CLI commands from a message, because the console has buttons for them. Returns '' if nothing else is left.
 */
export function withoutCommands(text: string): string {
  const kept = text
    .replaceAll(/ \("vitae [^)]*\)/g, '')
    .split(/(?<=[.;]) /)
    .filter((sentence) => !sentence.includes('"vitae '))
  return kept.join(' ').replace(/;$/, '.')
}
