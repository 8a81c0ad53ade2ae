import type { ExportPartRow, ExportRow } from './exports.ts'
import type { EnvironmentRow, KeyRow, ProjectRow } from './accounts.ts'
import type { BatchInputRow, BatchResultRow, BatchRow } from './batches.ts'
import type { CallDetailsRow, CallRow, EnvironmentDayRow, KeyDayRow, SpendTagRow, SummedDayRow } from './calls.ts'
import type {
  HoldRow,
  IdempotencyRow,
  LedgerEntryRow,
  PaidRecordRow,
  PaidVersionRow,
  PriceBookRow,
  SpendPeriodRow,
  StatementRow,
  StatementSumRow,
} from './credits.ts'
import type { EventRow, WebhookDeliveryRow, WebhookRetryRow, WebhookRow } from './events.ts'
import type { AdminTokenRow, AuditRow, SessionRow } from './operators.ts'
import type {
  FetchRow,
  FillDayRow,
  PayloadRow,
  ProviderDayRow,
  ProviderMonthRow,
  ProviderStateRow,
} from './providers.ts'
import type {
  AliasRow,
  CompanyPageRow,
  ContactIndexRow,
  EntityRow,
  EntityWordRow,
  FoldRow,
  FormerAliasRow,
  HiddenMissRow,
  MentionsRow,
  MergedEntityRow,
  RecipientRow,
  RecordSplitRow,
  RewriteRow,
  SuppressionRow,
  VersionRow,
} from './records.ts'
import type { WatchBudgetRow, WatchRow } from './watches.ts'
import type { Generated } from 'kysely'

/**
 * Every table, once, for both engines. Times are milliseconds since the epoch, flags are 0 or 1, lists are JSON text:
 * the plainest forms, so that SQLite and PostgreSQL store the same values and rows can be moved between them.
 */
export interface Tables {
  projects: ProjectRow
  environments: EnvironmentRow
  keys: KeyRow
  spend_periods: SpendPeriodRow
  ledger_entries: LedgerEntryRow
  holds: HoldRow
  idempotency: IdempotencyRow
  paid_records: PaidRecordRow
  paid_versions: PaidVersionRow
  price_books: PriceBookRow
  statements: StatementRow
  statement_sums: StatementSumRow
  calls: CallRow
  summed_days: SummedDayRow
  environment_days: EnvironmentDayRow
  key_days: KeyDayRow
  provider_days: ProviderDayRow
  fill_days: FillDayRow
  spend_tags: SpendTagRow
  call_details: CallDetailsRow
  entities: EntityRow
  entity_words: EntityWordRow
  aliases: AliasRow
  former_aliases: FormerAliasRow
  merged_entities: MergedEntityRow
  record_splits: RecordSplitRow
  recipients: RecipientRow
  company_pages: CompanyPageRow
  contact_index: ContactIndexRow
  versions: VersionRow
  folds: FoldRow
  fetches: FetchRow
  payloads: PayloadRow
  mentions: MentionsRow
  provider_months: ProviderMonthRow
  provider_states: ProviderStateRow
  suppressions: SuppressionRow
  rewrites: RewriteRow
  hidden_misses: HiddenMissRow
  watches: WatchRow
  watch_budgets: WatchBudgetRow
  batches: BatchRow
  batch_rows: BatchInputRow
  batch_results: BatchResultRow
  audit: AuditRow
  admin_tokens: AdminTokenRow
  sessions: SessionRow
  nodes: NodeRow
  settings: SettingRow
  events: EventRow
  webhooks: WebhookRow
  webhook_deliveries: WebhookDeliveryRow
  webhook_retries: WebhookRetryRow
  leases: LeaseRow
  exports: ExportRow
  export_parts: ExportPartRow
}

/** A serving process on PostgreSQL. Times are the database's own: one clock for all nodes. */
interface NodeRow {
  id: string
  seen_at: number
  /** The last alarm that it has acted on. */
  heard: number
  /** When it was last without Redis; 0 = never. */
  cut_off_at: Generated<number>
  /** Always 1: every node answers callers. */
  serves: number
  /** The number of its messages about begun windows of rate limits; null = it sends none. */
  notices: number | null
}

/** Work that one process does for all, until `expires_at` by the database's clock. */
interface LeaseRow {
  name: string
  holder: string
  expires_at: number
  /** The fencing number: one higher with each new holder. */
  number: Generated<number>
}

interface SettingRow {
  name: string
  value: string
}
