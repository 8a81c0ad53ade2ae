import type {
  AdminAnswer,
  AdminBody,
  AdminOperationId,
  AdminOperations,
  AdminParams,
  AdminQuery,
} from '@vitae/contract/admin'

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

/** The operations of one method, by path. */
type Table<Method extends string> = {
  [Id in AdminOperationId as AdminOperations[Id]['route'] extends `${Method} ${infer Path}` ? Path : never]: Id
}
type Gets = Table<'GET'>
type Posts = Table<'POST'>
type Patches = Table<'PATCH'>
type Deletes = Table<'DELETE'>
type Given<Part> = Part extends undefined ? object : Part
type Params<Id extends AdminOperationId> = { [Name in keyof Given<AdminParams<Id>>]: string | number }
/** Pages take values from filters and addresses, so the service checks them; their names are checked here. */
type Query<Id extends AdminOperationId> = {
  [Name in keyof Given<AdminQuery<Id>>]?: string | number | boolean | null | undefined
}
/** The parameters of the path and of the query, in one object. */
type Ask<Id> = Id extends AdminOperationId ? Params<Id> & Query<Id> : never
/** The parameters of the path and the body, in one object. */
type Wish<Id> = Id extends AdminOperationId ? Params<Id> & Given<AdminBody<Id>> : never
type Answer<Id> = Id extends AdminOperationId ? AdminAnswer<Id> : never
/** The object may be left out if it has no required field. */
type Rest<Fields> = object extends Fields
  ? [fields?: Fields, signal?: AbortSignal]
  : [fields: Fields, signal?: AbortSignal]

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

  get<Path extends keyof Gets>(path: Path, ...[ask, signal]: Rest<Ask<Gets[Path]>>) {
    return this.#json<Answer<Gets[Path]>>('GET', withQuery(path, ask), undefined, signal)
  }

  post<Path extends keyof Posts>(path: Path, ...[wish]: Rest<Wish<Posts[Path]>>) {
    return this.#json<Answer<Posts[Path]>>('POST', ...filled(path, wish))
  }

  patch<Path extends keyof Patches>(path: Path, wish: Wish<Patches[Path]>) {
    return this.#json<Answer<Patches[Path]>>('PATCH', ...filled(path, wish))
  }

  delete<Path extends keyof Deletes>(path: Path, ...[ask]: Rest<Ask<Deletes[Path]>>) {
    return this.#json<Answer<Deletes[Path]>>('DELETE', withQuery(path, ask))
  }

  /** Returns the response body as text, for raw payloads and files. */
  async text<Path extends keyof Gets>(path: Path, ask: Ask<Gets[Path]>): Promise<string> {
    return (await this.#send('GET', withQuery(path, ask))).text()
  }

  /** Saves the response as a file. Unlike a plain link, it reports failures and an ended session. */
  async download<Path extends keyof Gets>(path: Path, name: string, ...[ask]: Rest<Ask<Gets[Path]>>): Promise<void> {
    const body = await (await this.#send('GET', withQuery(path, ask))).blob()
    // Excel reads a CSV file as UTF-8 only if it starts with a byte order mark.
    saveFile(body.type.startsWith('text/csv') ? new Blob(['\uFEFF', body]) : body, name)
  }

  /** Uploads a CSV file unchanged. A retry with the same `idempotencyKey` is the same request. */
  async upload<Path extends keyof Posts>(
    path: Path,
    ask: Ask<Posts[Path]>,
    file: Blob,
    { idempotencyKey, signal }: Upload,
  ): Promise<Answer<Posts[Path]>> {
    const answer = await this.#send('POST', withQuery(path, ask), file, signal, { 'Idempotency-Key': idempotencyKey })
    return (await answer.json()) as Answer<Posts[Path]>
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
    if (this.csrf !== null) headers['X-Csrf-Token'] = this.csrf
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

/** Lets the browser save a file that the page has in memory. */
export function saveFile(body: Blob, name: string): void {
  const url = URL.createObjectURL(body)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

/** Shown at the request that failed. The sign-in dialog above the pages tells the user what to do. */
function sessionEnded(): ApiError {
  return new ApiError('The session has ended.', { status: 401, code: 'admin_token_required', requestId: null })
}

/** The path with its parameters, and the other fields. */
function filled(path: string, fields: object = {}): [path: string, rest: object] {
  const rest: Record<string, unknown> = { ...fields }
  const whole = path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = String(rest[name])
    delete rest[name]
    return encodeURIComponent(value)
  })
  return [whole, rest]
}

function withQuery(path: string, ask?: object): string {
  const [whole, query] = filled(path, ask)
  const given = Object.entries(query as Record<string, string | number | boolean | null | undefined>).flatMap(
    ([name, value]) => (value === null || value === undefined || value === '' ? [] : [[name, String(value)]]),
  )
  return given.length > 0 ? `${whole}?${new URLSearchParams(given)}` : whole
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
    return new ApiError(problem.detail, {
      status: answer.status,
      code: problem.code,
      requestId,
      errors: problem.errors ?? [],
    })
  } catch {
    return new ApiError(`The service answered ${answer.status}.`, { status: answer.status, code: 'unknown', requestId })
  }
}
