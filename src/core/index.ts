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
export * from './facts/facts.ts';
export * from './facts/missing.ts';
export type { FactsPart } from './facts/part.ts';
export { judge, startJudging, type JudgeOptions, type Judging } from './engine/judge.ts';
export { documentContent, parseDocument, type JsonValue, type ParsedDocument } from './json/json.ts';
export * from './findings/report.ts';
export { fingerprintsOf } from './findings/fingerprint.ts';
export { rules } from './rules/index.ts';
export type { CauseInfo, CauseOf, Causes } from './rules/cause.ts';
export type { Owner, OwnerByEvidence } from './rules/owners.ts';
export { defineRule, type AnyRule, type Problem, type Rule } from './rules/rule.ts';
export type { Subject, Subjects } from './rules/subjects.ts';
export { type SemanticVersion, semanticVersion } from './registry/semantic-version.ts';
export type { VersionEntry } from './registry/version-entry.ts';
export { checksumError, digestOf, isChecksum, type ChecksumError } from './registry/checksum.ts';
export { comparePrecedence, latestOf } from './registry/precedence.ts';
export { bump, isPlainVersion, isSemver, likelyVersion } from './registry/version.ts';
export { versionRange, type VersionRange } from './registry/version-range.ts';
export { policyOf, policyViolations, type Policy } from './policy/policy.ts';
export type { PolicyDocument } from './policy/policy-document.ts';
export * from './policy/decide.ts';
export * from './policy/preview.ts';
export { isSafeKey, safeKeyFor } from './registry/app-key.ts';
export { urlError, type UrlError } from './url/url-error.ts';
export { printable, redact, safeJson } from './text/text.ts';
export { message, safe, type SafeText } from './text/message.ts';
export { isAppregError, AppregError, type ErrorCode } from './errors/error.ts';
export { VERSION } from './values/tool-version.ts';
