import { context, propagation, SpanStatusCode, trace, type Attributes } from '@opentelemetry/api'

const tracer = trace.getTracer('vitae')

/** True if an OpenTelemetry SDK was loaded with the process; without one, tracing costs only this check. */
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

/** The headers that let a provider's traces join ours; empty without an SDK. */
export function tracingHeaders(): Record<string, string> {
  const headers: Record<string, string> = {}
  if (traced) propagation.inject(context.active(), headers)
  return headers
}

/** Without a registered SDK, the API returns spans that record nothing. */
function hasSdk(): boolean {
  const probe = tracer.startSpan('vitae.start')
  const recording = probe.isRecording()
  probe.end()
  return recording
}
