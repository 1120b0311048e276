/**
 * The validation library that the command line and the subscriber service share: facts about a registry in, a report
 * out. Pure: no files, no network, no clock; runs in browsers.
 *
 * @example
 * import { documentContent, startJudging } from 'appreg';
 *
 * const bytes = new TextEncoder().encode('{ "apps": {} }');
 * const manifest = { url: null, file: 'registry.json', web: { missing: 'not asked' }, content: documentContent(bytes) };
 * const judging = startJudging({ command: 'lint', target: 'registry.json', now: new Date().toISOString() });
 * judging.manifest(manifest);
 * const report = judging.finish(0);
 */
export * from './facts.ts';
export { judge, startJudging, type JudgeOptions, type Judging } from './judge.ts';
export { documentContent, parseDocument, type JsonValue, type ParsedDocument } from './json.ts';
export * from './report.ts';
export { rules } from './rules/index.ts';
export {
  defineRule,
  type AnyRule,
  type Problem,
  type Rule,
  type Subject,
  type Subjects,
  type VersionEntry,
} from './rule.ts';
export { checksumError, digestOf, isChecksum, type ChecksumError } from './checksum.ts';
export { bump, comparePrecedence, isPlainVersion, isSemver, latestOf, likelyVersion } from './version.ts';
export { isSafeKey, safeKeyFor } from './app-key.ts';
export { urlError, type UrlError } from './url.ts';
export { printable, redact, safeJson } from './text.ts';
export { isAppregError, AppregError } from './trouble.ts';
export { VERSION } from './tool.ts';
