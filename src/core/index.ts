/**
 * The validation library that the command line and the subscriber service share: facts about a registry in, a report
 * out. Pure: no files, no network, no clock; runs in browsers.
 *
 * @example
 * import { type DocumentFacts, documentContent, startJudging } from 'appreg';
 *
 * const bytes = new TextEncoder().encode('{ "apps": {} }');
 * const web: DocumentFacts['web'] = { missing: { code: 'not-requested', flag: null } };
 * const manifest: DocumentFacts = { url: null, file: 'registry.json', web, content: documentContent(bytes) };
 * const judging = startJudging({ command: 'lint', target: 'registry.json', now: new Date().toISOString() });
 * judging.manifest(manifest);
 * const report = judging.finish(0);
 */

// Judging: facts in, a report out.
export { judge, type JudgeOptions, type Judging, startJudging } from './engine/judge.ts';
export { notJudgedEntry } from './engine/not-judged.ts';
export type { RegistryPlace } from './findings/fingerprint.ts';
export * from './findings/report.ts';

// Facts: what was observed of a registry, and what could not be.
export type { AttestationFacts, SignerPolicy } from './facts/attestation.ts';
export * from './facts/facts.ts';
export * from './facts/missing.ts';
export type { FactsPart } from './facts/part.ts';

// Rules: what is found, and who has to act.
export type { CauseInfo, CauseOf, Causes } from './rules/cause.ts';
export { rules } from './rules/index.ts';
export { ruleById, ruleTitle } from './rules/lookup.ts';
export type { Owner, OwnerByEvidence } from './rules/owners.ts';
export { type AnyRule, defineRule, type Problem, type Rule } from './rules/rule.ts';
export type { Subject, Subjects } from './rules/subjects.ts';

// Offers: which versions a subscriber can install.
export type { JudgedApp } from './offers/judged-app.ts';
export { offerOf, type VersionOffer } from './offers/version-offer.ts';
export { keepsLastState, type VersionErrors } from './offers/visibility.ts';

// Policies: which of them an organization allows.
export * from './policy/decide.ts';
export type { PolicyDocument } from './policy/policy-document.ts';
export { NO_POLICY, type Policy, policyOf, policyViolations } from './policy/policy.ts';
export * from './policy/preview.ts';

// Documents: manifests, metadata files, about files (spec 2).
export type { RetirementReason } from './about/about-document.ts';
export {
  type About,
  ABOUT_FIELDS,
  type AboutApp,
  type AboutVersion,
  NOTHING_SAID,
  readAboutFile,
  type Retirement,
} from './about/about-file.ts';
export { latestOffered, retirementOf, type Retirements } from './about/retirement.ts';
export type { ManifestFieldName } from './registry/app-fields.ts';
export { isSafeKey, safeKeyFor } from './registry/app-key.ts';
export { checksumError, type ChecksumError, digestOf, isChecksum } from './registry/checksum.ts';
export { aboutUrl, companionState } from './registry/companion.ts';
export { faultSeverity, partsOfImage } from './registry/image-faults.ts';
export {
  appFields,
  hasAllFields,
  listedVersionsIn,
  MANIFEST_FIELDS,
  manifestAppsIn,
  versionFields,
} from './registry/manifest.ts';
export { byPrecedence, comparePrecedence, latestOf } from './registry/precedence.ts';
export { semanticVersion, type SemanticVersion } from './registry/semantic-version.ts';
export type { VersionEntry } from './registry/version-entry.ts';
export { highestFirst } from './registry/version-order.ts';
export { versionRange, type VersionRange } from './registry/version-range.ts';
export { bump, isPlainVersion, isSemver, likelyVersion } from './registry/version.ts';

// Attestations: statements about artifacts, and whether they hold.
export { buildOf } from './attestation/build.ts';
export { type AttestationProblem, judgeAttestation } from './attestation/judge.ts';
export type { AppVersion } from './attestation/statement.ts';

// JSON: text to values, with positions.
export type { DocumentContent } from './json/content.ts';
export { readInputFile } from './json/input-file.ts';
export {
  documentContent,
  isObject,
  type JsonObject,
  type JsonValue,
  MAX_DEPTH,
  member,
  type ParsedDocument,
  parseDocument,
} from './json/json.ts';
export { survey } from './json/positions.ts';
export { jsonValueIn } from './json/value-in.ts';
export { stringOrNull } from './json/values.ts';

// URLs, as WHATWG parses them.
export { urlError, type UrlError } from './url/url-error.ts';
export { comparableUrl, fragmentOf, isLoopback, parseUrl } from './url/url.ts';

// HTTP: header fields, CORS and caches, as facts have them.
export { freshness } from './http/cache.ts';
export { corsFault, PROBE_ORIGIN } from './http/cors.ts';
export { INSECURE_REFUSED, NOT_REACHED, PORT_REFUSED } from './http/failed-request.ts';
export { contentCodings, headerValue, httpDate, mediaType, secondsIn } from './http/headers.ts';
export { preflightFault } from './http/preflight.ts';
export {
  areCredentialsRefused,
  hasNoErrors,
  isAnswered,
  lastHop,
  notRequested,
  originOf,
  statusOf,
} from './http/probe.ts';
export { isCredentialHeader, isHeaderName } from './http/reserved-headers.ts';
export { sideProbes } from './http/side-probes.ts';

// Texts: without secrets, and without characters that a terminal or a page would obey.
export { isInCalendar } from './text/calendar.ts';
export { isColor } from './text/color.ts';
export { formatTime } from './text/format-time.ts';
export { message, safe, type SafeText } from './text/message.ts';
export { didYouMean } from './text/similar-names.ts';
export {
  capitalized,
  counted,
  grouped,
  isBlank,
  printable,
  redact,
  safeExcerpt,
  safeJson,
  safeJsonText,
  shellWord,
  shorten,
} from './text/text.ts';

// Errors: a closed set of codes, with a message and what to do.
export { AppregError, type Effect, type ErrorCode, isAppregError } from './errors/error.ts';

// Values.
export { ruleUrl } from './values/links.ts';
export { mapLimit } from './values/promises.ts';
export { keysOf, recordFrom } from './values/record.ts';
export type { Count, Digest, NotBlank, PositiveInteger } from './values/scalars.ts';
export { SEVERITIES, type Severity } from './values/severity.ts';
export { VERSION } from './values/tool-version.ts';
