# Generated from the contract by scripts/generate-python-types.ts. Do not edit.
"""The shapes of the contract."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, TypedDict, Union

DataSource = Literal["live", "store", "stale_fallback"]

class Person(TypedDict):
    """One person."""
    member_urn: str
    entity_urn: str
    public_identifier: Union[str, None]
    first_name: Union[str, None]
    last_name: Union[str, None]
    headline: Union[str, None]
    summary: Union[str, None]
    industry: Union[str, None]
    profile_photo_url: Union[str, None]
    background_photo_url: Union[str, None]
    profile_url: Union[str, None]
    websites: List[str]
    is_memorialized: bool
    location: PersonLocation
    network_info: Union[NetworkInfo, None]
    badges: Badges
    verifications: Union[Verifications, None]
    contact_info: Union[ContactInfo, None]
    experience: List[ExperienceGroup]
    education: List[Education]
    skills: List[str]
    certifications: List[SectionItem]
    courses: List[SectionItem]
    honors: List[SectionItem]
    languages: List[Language]
    organizations: List[SectionItem]
    patents: List[SectionItem]
    projects: List[SectionItem]
    publications: List[SectionItem]
    test_scores: List[SectionItem]
    volunteer_experiences: List[SectionItem]

class PersonLocation(TypedDict):
    name: Union[str, None]
    city: Union[str, None]
    country: Union[str, None]
    country_code: Union[str, None]

class NetworkInfo(TypedDict):
    followers_count: Union[int, None]
    connections_count: Union[int, None]
    custom_action: Union[CustomAction, None]

class CustomAction(TypedDict):
    url: Union[str, None]
    label: Union[str, None]
    control_name: Union[str, None]
    open_externally: bool

class Badges(TypedDict):
    premium: bool
    creator: bool
    influencer: bool
    top_voice: bool
    open_to_work: bool
    is_hiring: bool

class VerificationsSectionsItem(TypedDict):
    title: str
    items: List[Any]

class Verifications(TypedDict):
    is_verified: bool
    joined_date: Union[str, None]
    sections: List[VerificationsSectionsItem]

class ContactInfoWebsitesItem(TypedDict):
    url: Union[str, None]
    type: Union[str, None]
    label: Union[str, None]

class ContactInfo(TypedDict):
    email_address: Union[str, None]
    websites: List[ContactInfoWebsitesItem]
    twitter_handles: List[str]
    phone_numbers: List[str]
    birth_date: Union[PersonDate, None]
    address: Union[str, None]

class PersonDate(TypedDict):
    """A date, as precise as its source, with its partial ISO 8601 form."""
    year: int
    month: Union[int, None]
    day: Union[int, None]
    iso: str

class ExperienceGroup(TypedDict):
    company_name: Union[str, None]
    company_id: Union[str, None]
    company_url: Union[str, None]
    company_logo_url: Union[str, None]
    company_industry: Union[str, None]
    company_employee_count_range: HeadcountRange
    workplace_type: Union[str, None]
    date_range: Union[DateRange, None]
    positions: List[Position]

class HeadcountRange(TypedDict):
    """A range of headcounts. A `start` with a null `end` is the highest range, which has no upper limit."""
    start: Union[int, None]
    end: Union[int, None]

class DateRange(TypedDict):
    """A period. If `end` is null, the period has not ended."""
    start: Union[PersonDate, None]
    end: Union[PersonDate, None]

class Position(TypedDict):
    title: Union[str, None]
    description: Union[str, None]
    location_name: Union[str, None]
    employment_type: Union[str, None]
    date_range: Union[DateRange, None]

class Education(TypedDict):
    school_name: Union[str, None]
    school_id: Union[str, None]
    school_url: Union[str, None]
    school_logo_url: Union[str, None]
    company_id: Union[str, None]
    degree: Union[str, None]
    field_of_study: Union[str, None]
    grade: Union[str, None]
    activities: Union[str, None]
    description: Union[str, None]
    date_range: Union[DateRange, None]

class SectionItem(TypedDict):
    name: Union[str, None]
    title: Union[str, None]
    description: Union[str, None]
    url: Union[str, None]
    image_url: Union[str, None]
    company: Union[str, None]
    company_id: Union[str, None]
    position_held: Union[str, None]
    date_range: Union[DateRange, None]

class Language(TypedDict):
    name: Union[str, None]
    title: Union[str, None]
    description: Union[str, None]
    url: Union[str, None]
    image_url: Union[str, None]
    company: Union[str, None]
    company_id: Union[str, None]
    position_held: Union[str, None]
    date_range: Union[DateRange, None]
    proficiency: Union[str, None]

class CompanyLocations(TypedDict):
    headquarter: Union[CompanyLocation, None]
    all_locations: Union[List[CompanyLocation], None]

class CompanyStaffInfo(TypedDict):
    staff_count: Union[int, None]
    staff_range: Union[HeadcountRange, None]

class CompanyCallToAction(TypedDict):
    text: Union[str, None]
    url: Union[str, None]

class CompanyFundingData(TypedDict):
    num_of_funding_rounds: Union[int, None]
    last_funding_round: Union[FundingRound, None]

class Company(TypedDict):
    """One company."""
    company_id: Union[str, None]
    public_identifier: Union[str, None]
    company_name: Union[str, None]
    tagline: Union[str, None]
    description: Union[str, None]
    company_type: Union[CompanyType, None]
    locations: Union[CompanyLocations, None]
    industries: Union[List[Industry], None]
    specialities: Union[List[str], None]
    staff_info: Union[CompanyStaffInfo, None]
    followers_count: Union[int, None]
    founded_on: Union[PartialDate, None]
    platform_url: Union[str, None]
    company_url: Union[str, None]
    logo_url: Union[str, None]
    background_photo_url: Union[str, None]
    cover_image_url: Union[str, None]
    call_to_action: Union[CompanyCallToAction, None]
    phone_number: Union[str, None]
    auto_generated: Union[bool, None]
    claimable: Union[bool, None]
    is_paid: Union[bool, None]
    is_showcase: Union[bool, None]
    funding_data: Union[CompanyFundingData, None]
    showcase_pages: Union[List[CompanySummary], None]
    affiliated_companies: Union[List[CompanySummary], None]

class CompanyType(TypedDict):
    type_code: Union[str, None]
    type_name: Union[str, None]

class CompanyLocation(TypedDict):
    country: Union[str, None]
    geographic_area: Union[str, None]
    city: Union[str, None]
    postal_code: Union[str, None]
    address_line1: Union[str, None]
    is_headquarter: Union[bool, None]

class Industry(TypedDict):
    id: Union[str, None]
    name: Union[str, None]

class PartialDate(TypedDict):
    """A date, as precise as its source."""
    year: int
    month: Union[int, None]
    day: Union[int, None]

class FundingRound(TypedDict):
    funding_type: Union[str, None]
    money_raised: Union[Money, None]
    announced_on: Union[PartialDate, None]
    lead_investors: Union[List[Investor], None]
    num_of_other_investors: Union[int, None]
    round_url: Union[str, None]

class Money(TypedDict):
    amount: Union[float, None]
    currency: Union[str, None]

class Investor(TypedDict):
    name: Union[str, None]
    logo: Union[str, None]
    investor_url: Union[str, None]

class CompanySummary(TypedDict):
    company_name: Union[str, None]
    public_identifier: Union[str, None]
    entity_urn: Union[str, None]
    company_url: Union[str, None]
    description: Union[str, None]
    logo_url: Union[str, None]
    followers_count: Union[int, None]
    industries: Union[List[Industry], None]
    is_paid: Union[bool, None]
    is_showcase: Union[bool, None]

class ProblemErrorsItem(TypedDict):
    parameter: str
    detail: str

class _Problem(TypedDict):
    type: str
    title: str
    status: int
    detail: str
    code: str
    request_id: str

class Problem(_Problem, total=False):
    """RFC 9457 problem."""
    hint: str
    errors: List[ProblemErrorsItem]

class Preflight(TypedDict):
    """What a lookup would do if it were made now."""
    source: Union[Literal["live", "store", "stale_fallback"], None]
    age_seconds: Union[int, None]
    price: int
    max_price: int
    refused: Union[str, None]
    asks_provider: bool

class CompanyMatches(TypedDict):
    """The companies that have their site at a domain, the most likely company first."""
    domain: str
    source: Literal["live", "store", "stale_fallback"]
    candidates: List[CompanyCandidate]

class CompanyCandidate(TypedDict):
    company_id: Union[str, None]
    public_identifier: Union[str, None]
    name: Union[str, None]
    matched: Literal["host", "domain", "provider"]

class RecordHistory(TypedDict):
    """The versions of a record that your environment received, and the changes between them."""
    kind: Literal["people", "companies"]
    id: str
    versions: List[HistoryVersion]
    next: Union[int, None]

class HistoryVersion(TypedDict):
    """A version of the record that your environment received."""
    version: int
    provider: str
    fetched_at: str
    source_updated_at: Union[str, None]
    thin: bool
    changes: List[EventChange]

class EventChange(TypedDict):
    """One difference between two versions. The path names an element of a list by its identifying value, not by its position."""
    kind: str
    path: str
    before: Any
    after: Any

class RecordProvenanceUnitsItem(TypedDict):
    unit: str
    provider: str
    fetched_at: str
    filled: bool

class RecordProvenance(TypedDict):
    """Which provider supplied which unit of a record, and when."""
    kind: Literal["people", "companies"]
    id: str
    units: List[RecordProvenanceUnitsItem]

class AccountKey(TypedDict):
    id: str
    label: Union[str, None]
    expires_at: Union[str, None]
    revoked_at: Union[str, None]
    endpoints: List[Literal["people", "companies"]]
    parts: List[Literal["network", "verifications", "contact"]]
    networks: Union[List[str], None]

class AccountCredits(TypedDict):
    """The available credits of the environment. Null for a test key, which spends nothing."""
    available: int
    held: int

class AccountCeilings(TypedDict):
    """The spending limits of this key. Keys that it was rotated from or to share these limits."""
    daily: Union[SpendLimit, None]
    monthly: Union[SpendLimit, None]

class AccountBudgets(TypedDict):
    """The spending limit of all keys of the environment together."""
    monthly: Union[SpendLimit, None]

class AccountPricesParts(TypedDict):
    """The credits that an optional part adds if the call asks for the part and the part has a value."""
    contact: int
    network: int
    verifications: int

class AccountPricesHighest(TypedDict):
    """The maximum cost of one call with any parameters. 0 for a test key."""
    people: int
    companies: int
    resolve: int
    match: int

class AccountPrices(TypedDict):
    """The credits per answer. Null means the price of the endpoint; if the endpoints have different prices, the higher one. A test key pays nothing."""
    book: int
    people: int
    companies: int
    stale: Union[int, None]
    thin: Union[int, None]
    bypass: Union[int, None]
    resolve: Union[int, None]
    parts: AccountPricesParts
    highest: AccountPricesHighest
    match: Union[int, None]
    repeat_free_days: float

class AccountFreshness(TypedDict):
    default_days: float
    cap_days: float
    stale_max_days: float

class AccountRateLimit(TypedDict):
    limit: int
    window_seconds: float
    remaining: int
    reset_seconds: int

class Account(TypedDict):
    """What a key may do, what it may spend, and what calls cost."""
    project: str
    environment: str
    mode: Literal["live", "test"]
    key: AccountKey
    credits: Union[AccountCredits, None]
    ceilings: AccountCeilings
    budgets: AccountBudgets
    prices: AccountPrices
    freshness: AccountFreshness
    rate_limit: AccountRateLimit

class SpendLimit(TypedDict):
    """A spending limit, and what is left of it."""
    limit: int
    spent: int
    remaining: int
    renews_at: str

class UsageTotal(TypedDict):
    calls: int
    credits: int

Usage = TypedDict(
    "Usage",
    {
        "from": "str",
        "to": "str",
        "as_of": "str",
        "rows": "List[UsageRow]",
        "total": "UsageTotal",
    },
)

class _UsageRow(TypedDict):
    calls: int
    credits: int

class UsageRow(_UsageRow, total=False):
    day: str
    tag: Union[str, None]
    endpoint: Union[Literal["people", "companies"], None]

class StatementValue(TypedDict):
    """The value of one credit, and the value of all charges. Null if the operator has not set a value for a credit."""
    currency: str
    credit: str
    charged: str

class _Statement(TypedDict):
    project: str
    environment: Union[str, None]
    month: str
    in_progress: bool
    opening_balance: int
    granted: int
    lapsed: int
    charged: int
    corrected: int
    closing_balance: int
    lines: List[StatementLine]
    digest: Union[str, None]

class Statement(_Statement, total=False):
    """The balances, grants, charges and corrections of an environment in one month."""
    value: StatementValue

class StatementLine(TypedDict):
    price_line: Union[str, None]
    endpoint: Union[Literal["people", "companies"], None]
    source: Union[Literal["live", "store", "stale_fallback"], None]
    spend_tag: Union[str, None]
    calls: int
    credits: int

class ReceiptPriceLinesItem(TypedDict):
    line: str
    credits: int

class ReceiptPrice(TypedDict):
    book: int
    lines: List[ReceiptPriceLinesItem]
    less_than_held: List[Literal["failed", "replayed", "free_repeat", "cheaper_line", "part_without_value"]]

class ReceiptProvidersItem(TypedDict):
    name: str
    outcome: str

class Receipt(TypedDict):
    """The receipt of one call: what it cost, and why."""
    request_id: str
    at: str
    endpoint: Literal["people", "companies"]
    status: int
    source: Union[Literal["live", "store", "stale_fallback"], None]
    held: int
    charged: int
    price: ReceiptPrice
    providers: List[ReceiptProvidersItem]
    filled: List[FilledUnit]
    reason: str
    spend_tag: Union[str, None]

class FilledUnit(TypedDict):
    """A unit (field or section) of a record, and the fetch that it comes from."""
    unit: str
    provider: str
    fetched_at: str

class Watch(TypedDict):
    id: str
    kind: Literal["people", "companies"]
    identifier: str
    every_days: int
    note: Union[str, None]
    created_at: str
    next_due_at: Union[str, None]
    last_checked_at: Union[str, None]
    last_seen_at: Union[str, None]
    last_result: Union[str, None]
    paused: Union[str, None]

class WatchList(TypedDict):
    watches: List[Watch]
    next: Union[str, None]

class WatchRemoved(TypedDict):
    id: str
    deleted: bool

class EventFeed(TypedDict):
    events: List[VitaeEvent]
    next: str

class VitaeEvent(TypedDict):
    id: str
    type: Literal["person.job_changed", "person.promoted", "person.changed", "company.changed", "record.merged", "record.split", "record.purged", "record.erased", "credits.low", "ceiling.near", "ceiling.reached", "budget.reached", "provider.down", "provider.recovered", "provider.cost_differs", "provider.drifted", "backup.overdue", "batch.completed", "batch.paused", "batch.resumed", "batch.failed"]
    at: str
    project: Union[str, None]
    environment: Union[str, None]
    data: Any

class RecordChangesChangesItem(TypedDict):
    kind: Literal["people", "companies"]
    id: str
    change: Literal["merged", "split", "purged", "erased"]
    to: Union[str, None]
    at: str

class RecordChanges(TypedDict):
    changes: List[RecordChangesChangesItem]
    next: str

class SubmittedBatch(TypedDict):
    """A batch that was accepted: all of its input was read."""
    id: str
    status: Literal["queued", "running", "paused", "completed", "cancelled", "failed"]
    total: int
    created_at: str

class BatchList(TypedDict):
    batches: List[Batch]
    next: Union[str, None]

class Batch(TypedDict):
    """The progress of a batch."""
    id: str
    status: Literal["queued", "running", "paused", "completed", "cancelled", "failed"]
    total: int
    created_at: str
    name: Union[str, None]
    kind: Literal["people", "companies"]
    counts: BatchCounts
    credits_spent: int
    max_credits: Union[int, None]
    seconds_left: Union[int, None]
    pause_reason: Union[str, None]
    resumed_by: Union[str, None]
    resumes_at: Union[str, None]
    error: Union[str, None]
    started_at: Union[str, None]
    ended_at: Union[str, None]
    expires_at: Union[str, None]

class BatchCounts(TypedDict):
    found: int
    not_found: int
    invalid: int
    failed: int
    waiting: int

class BatchPreview(TypedDict):
    """The cost of a batch, computed without creating it."""
    rows: int
    distinct: int
    invalid: int
    stored: int
    highest_credits: int
    available_credits: Union[int, None]
    estimated_seconds: int

class BatchResultRow(TypedDict):
    """The result of one row: one line of NDJSON."""
    row: int
    input: Union[str, Dict[str, str], None]
    status: Literal["found", "not_found", "invalid", "failed"]
    error: Union[str, None]
    detail: Union[str, None]
    source: Union[Literal["live", "store", "stale_fallback"], None]
    fetched_at: Union[str, None]
    credits: int
    request_id: Union[str, None]
    likelihood: Union[float, None]
    matched_on: Union[List[str], None]
    columns: Union[Dict[str, Any], None]
    record: Union[Any, None]
