import { context, propagation, SpanStatusCode, trace, type Attributes } from '@opentelemetry/api'

const tracer = trace.getTracer('vitae')

/** True where an OpenTelemetry SDK was loaded with the process; without one nothing below costs more than this look. */
export const traced = hasSdk()

/** Runs one step of a call as a span. Attributes name providers and outcomes, never what the caller sent. */
export function inSpan<Result>(name: string, attributes: Attributes, step: () => Promise<Result>): Promise<Result> {
  if (!traced) return step()
  return tracer.startActiveSpan(name, { attributes }, async (span) => {
    try {
      return await step()
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR })
      if (error instanceof Error) span.setAttribute('error.type', error.name)
      throw error
    } finally {
      span.end()
    }
  })
}

/** The headers that let a provider's own traces join ours; none without an SDK. */
export function tracingHeaders(): Record<string, string> {
  const headers: Record<string, string> = {}
  if (traced) propagation.inject(context.active(), headers)
  return headers
}

/** The API hands out spans that record nothing until an SDK is registered, and that is how one can tell. */
function hasSdk(): boolean {
  const probe = tracer.startSpan('vitae.start')
  const recording = probe.isRecording()
  probe.end()
  return recording
}
