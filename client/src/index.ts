export type { Answer, Credits, FilledFrom, MatchedAnswer, RateLimit, ResolvedCompanies } from './answer.ts'
export type { Batches, NewBatch, NewBatchRow, WaitOptions } from './batches.ts'
export type { ResultsOptions } from './batch-results.ts'
export * from './contract.generated.ts'
export { type CurrentPosition, currentPositions } from './current-positions.ts'
export { type EventOptions, EventStream } from './event-stream.ts'
export { estimateHeadcount } from './estimate-headcount.ts'
export * from './failure-errors.generated.ts'
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
} from './failure-families.ts'
export type { Promotion } from './find-promotion.ts'
export type { Hooks, RequestEvent, ResponseEvent, RetryEvent } from './hooks.ts'
export { type JobChange, jobChange, type PersonAt } from './job-change.ts'
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
} from './options.ts'
export { type ParsedDate, parsePartialDate } from './parse-partial-date.ts'
export type { Timing } from './timing.ts'
export { toCountryCode } from './to-country-code.ts'
export { type Companies, type People, VitaeClient } from './vitae-client.ts'
export { type ErrorCode, type ParameterError, VitaeError } from './vitae-error.ts'
export { verifyWebhook, type WebhookEvent, type WebhookHeaders, WebhookVerificationError } from './verify-webhook.ts'
export type { NewWatch, Watches } from './watches.ts'
export { withScheme } from './with-scheme.ts'
