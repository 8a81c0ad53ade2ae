declare module 'autocannon' {
  interface Request {
    path?: string
    headers?: Record<string, string>
    setupRequest?: (request: Request) => Request
  }
  interface Options {
    url: string
    connections: number
    amount: number
    requests: Request[]
  }
  interface Result {
    '2xx': number
    latency: { p50: number; p99: number }
  }
  interface Run extends Promise<Result> {
    on(event: 'start' | 'response', listener: () => void): unknown
  }
  export default function autocannon(options: Options): Run
}
