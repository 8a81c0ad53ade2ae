export { BrokenAgreement } from './gate/broken-agreement.ts'
export { gated } from './gate/gated.ts'
export { asProvider } from './gate/provider-in-charge.ts'
export { isTime } from './gate/sound-values.ts'
export { watchStrays } from './gate/watch-strays.ts'
export {
  type Alias,
  derivedCompanyId,
  type Identifier,
  isDerivedCompanyId,
  isOpaqueId,
  type MatchInput,
  type MatchSignal,
} from './identifier.ts'
export { companyIdOfPage, withDerivedIds, withStoredCompanyIds } from './mapping/company-ids.ts'
export { companyType } from './mapping/company-type.ts'
export { cityInText, countryCode, countryName } from './mapping/country.ts'
export { type FlatPosition, groupPositions, regroup, workplaceType } from './mapping/experience.ts'
export { parseHeadcountRange } from './mapping/headcount.ts'
export { companyIdentity, personIdentity } from './mapping/identity.ts'
export { currencyCode, parseMoney } from './mapping/money.ts'
export { saysOngoing } from './mapping/month-names.ts'
export { memberNumberOf } from './mapping/opaque-id.ts'
export {
  dateRange,
  inOrder,
  issuedRange,
  latest,
  parseFoundedDate,
  parsePartialDate,
  personDate,
  saysEnded,
  singleDate,
  withoutDay,
  yearOnly,
} from './mapping/partial-date.ts'
export { isCityState, type KnownPlaces, parseAddressLine } from './mapping/places/address-line.ts'
export { regionOf } from './mapping/places/regions.ts'
export {
  canonicalPageUrl,
  companyPageUrl,
  foldSlug,
  imageUrl,
  isShowcaseUrl,
  numericIdFromUrl,
  opaqueIdFromUrl,
  profileUrl,
  slugFromUrl,
} from './mapping/platform-url.ts'
export { companySummary, educationItem, languageItem, position, sectionItem } from './mapping/record-items.ts'
export { flag, integer, list, normalised, object, plainText, text, textList, texts, withFacts } from './mapping/text.ts'
export { type FaultKind, ProviderFault, tooSlow } from './provider-fault.ts'
export {
  type Identity,
  type MatchFacts,
  type NotLive,
  type Projection,
  type Provider,
  type ProviderAsk,
  type ProviderSettings,
  type RawAnswer,
  type Send,
  type Supplies,
  type Verdict,
  type WireRequest,
} from './provider.ts'
export { type FileFacts, type ProviderModule, readProviderModule } from './provider-module.ts'
export { companyLocations } from './shared/company-locations.ts'
export { under } from './shared/field-paths.ts'
export { dayMs, instant, latestInstant } from './shared/instant.ts'
export { matchFacts } from './shared/match-facts.ts'
export { givenOrFullName, knownContact, networkInfo, splitName } from './shared/person-parts.ts'
export {
  courseItem,
  educationItems,
  flatPositions,
  joinedKeys,
  type ReadPosition,
  sectionItems,
} from './shared/profile-items.ts'
export { listedOrNamedJobs, type NamedJob, type Sections, unsaidUnits } from './shared/unsaid-units.ts'
export {
  creditsIn,
  parseObject,
  parsePayload,
  throwFaultOf,
  throwIfNameless,
  throwIfWebPage,
} from './wire/check-answer.ts'
export { probeIdentifier } from './shared/probe-identifier.ts'
export { cutPaths } from './wire/cut-paths.ts'
export { endpointUrl } from './wire/endpoint-url.ts'
export { insideEnvelope, rows } from './wire/envelope.ts'
export { header } from './wire/header.ts'
export { retryAfterSeconds } from './wire/retry-after.ts'
