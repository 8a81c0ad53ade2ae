export type { Answer, Credits, FilledFrom, MatchedAnswer, RateLimit, ResolvedCompanies } from './answers/answer.ts'
export type { Batches, NewBatch, NewBatchRow, WaitOptions } from './batches.ts'
export type { ResultsOptions } from './batch-results.ts'
export * from './contract.generated.ts'
export { type CurrentPosition, currentPositions } from './records/current-positions.ts'
export { type EventOptions, EventStream } from './event-stream.ts'
export { estimateHeadcount } from './records/estimate-headcount.ts'
export * from './answers/failure-errors.generated.ts'
export {
  VitaeAbortError,
  VitaeAuthenticationError,
  VitaeConnectionError,
  VitaeMaxCreditsError,
  VitaePaymentError,
  VitaePermissionError,
  VitaeRequestError,
  VitaeServerError,
  VitaeThrottledError,
  VitaeTimeoutError,
  VitaeUnusableAnswerError,
} from './answers/failure-families.ts'
export type { Promotion } from './records/find-promotion.ts'
export type { Hooks, RequestEvent, ResponseEvent, RetryEvent } from './calls/hooks.ts'
export { type JobChange, jobChange, type PersonAt } from './records/job-change.ts'
export type {
  CallOptions,
  ClientOptions,
  CompanyMatch,
  CompanyOptions,
  Fetch,
  HistoryOptions,
  LookupOptions,
  ProfileOptions,
  ResolveOptions,
  RecordChangesOptions,
  StatementOptions,
  UsageOptions,
  ExpectedCompany,
  ExpectedPerson,
  MatchCompanyOptions,
  MatchPersonOptions,
  PersonMatch,
} from './calls/options.ts'
export { type ParsedDate, parsePartialDate } from './records/parse-partial-date.ts'
export type { Timing } from './calls/timing.ts'
export { toCountryCode } from './records/to-country-code.ts'
export { type Companies, type People, VitaeClient } from './vitae-client.ts'
export { type ErrorCode, type ParameterError, VitaeError } from './answers/vitae-error.ts'
export { verifyWebhook, type WebhookEvent, type WebhookHeaders, WebhookVerificationError } from './verify-webhook.ts'
export type { NewWatch, Watches } from './watches.ts'
export { withScheme } from './records/with-scheme.ts'
