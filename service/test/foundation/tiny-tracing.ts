import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import {
  context,
  propagation,
  ROOT_CONTEXT,
  trace,
  TraceFlags,
  type Context,
  type Span,
  type SpanContext,
  type SpanOptions,
  type Tracer,
} from '@opentelemetry/api'

/**
 * A minimal OpenTelemetry SDK, loaded into a service with `--import`: it writes spans to a file as they end, and sends
 * the trace in a `traceparent` header.
 */
const file = process.env['VITAE_TEST_SPANS'] ?? ''
const storage = new AsyncLocalStorage<Context>()

context.setGlobalContextManager({
  active: () => storage.getStore() ?? ROOT_CONTEXT,
  with: (active, run, self, ...args) =>
    storage.run(active, () => run.call(self as ThisParameterType<typeof run>, ...args)),
  bind: (_active, target) => target,
  enable() {
    return this
  },
  disable() {
    return this
  },
})

propagation.setGlobalPropagator({
  inject(active, carrier, setter) {
    const span = trace.getSpanContext(active)
    if (span) setter.set(carrier, 'traceparent', `00-${span.traceId}-${span.spanId}-01`)
  },
  extract: (active) => active,
  fields: () => ['traceparent'],
})

function startSpan(name: string, options: SpanOptions = {}, parent: Context = context.active()): Span {
  const above = trace.getSpanContext(parent)
  const own: SpanContext = {
    traceId: above?.traceId ?? randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    traceFlags: TraceFlags.SAMPLED,
  }
  const attributes = { ...options.attributes }
  let failed = false
  const span: Span = {
    spanContext: () => own,
    setAttribute(key, value) {
      attributes[key] = value
      return span
    },
    setAttributes: () => span,
    addEvent: () => span,
    addLink: () => span,
    addLinks: () => span,
    setStatus({ code }) {
      failed = code === 2
      return span
    },
    updateName: () => span,
    end: () =>
      appendFileSync(file, `${JSON.stringify({ name, ...own, parent: above?.spanId ?? null, attributes, failed })}\n`),
    isRecording: () => true,
    recordException: () => undefined,
  }
  return span
}

const tracer: Tracer = {
  startSpan,
  startActiveSpan(name: string, ...rest: unknown[]) {
    const run = rest.at(-1) as (span: Span) => unknown
    const span = startSpan(name, rest.length > 1 ? (rest[0] as SpanOptions) : {})
    return context.with(trace.setSpan(context.active(), span), () => run(span))
  },
} as Tracer

trace.setGlobalTracerProvider({ getTracer: () => tracer })
