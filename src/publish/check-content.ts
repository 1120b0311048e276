import type { ArchiveFacts, Content, Missing } from '../core/facts/facts.ts';
import type { Evidence } from '../core/values/evidence.ts';
import type { Severity } from '../core/values/severity.ts';
import { APP_ENTRY } from '../core/registry/app-entry.ts';
import { isComparable } from '../core/registry/version.ts';
import { artifactLeftover } from '../core/rules/artifacts/artifact-leftover.ts';
import { artifactNoApp } from '../core/rules/artifacts/artifact-no-app.ts';
import { artifactSecret, unnamedSecrets } from '../core/rules/artifacts/artifact-secret.ts';
import type { Problem } from '../core/rules/rule.ts';
import { printable } from '../core/text/text.ts';
import { joined, message, type SafeText } from '../core/text/message.ts';
import { AppregError } from '../core/errors/error.ts';

/** The error for a change or an artifact that rules refuse. */

export interface Violation {
  rule: string;
  /** The displayed part of it. */
  text: string;
  advice: string;
  evidence: Evidence;
}

/** @param verb what --any-content allows, for an artifact without its entry file */
export function ruleViolation(violations: readonly Violation[], verb: string): AppregError {
  const lines = violations.flatMap(({ text, evidence, rule }) => [
    text,
    // Each can be allowed, so each has to be named.
    ...(rule === 'artifact-secret' ? unnamedSecrets(evidence).map((line) => `  ${line}`) : []),
  ]);
  const advice = [...new Set(violations.map((one) => one.advice))];
  const rules = [...new Set(violations.map(({ rule }) => rule))];
  if (rules.includes('artifact-no-app')) advice.push(`To ${verb} it as it is: --any-content`);
  const large = violations.find(({ rule }) => rule === 'version-number-too-large');
  if (large?.evidence['compared'] === true)
    advice.push('To publish it as it is: --rule version-number-too-large=warning');
  return new AppregError('rule-violation', linesOf(lines), linesOf(advice), { effect: 'none', rules });
}

function linesOf(lines: readonly string[]): SafeText {
  return joined(
    lines.map((line) => message`${line}`),
    '\n  ',
  );
}

/** Judges the content of an artifact before anything is written. */

type Severities = Readonly<Record<string, Severity | 'off'>>;

export interface ContentSettings {
  severities: Severities;
  /** The entry file of the app's code; null for app.js. */
  appEntry: string | null;
  /** Fingerprints of secrets that the user allows (--allow-secret). */
  allowedSecrets: readonly string[];
  /** Fingerprints of secrets that exceptions of the configuration allow; the artifact need not have them. */
  exceptedSecrets: readonly string[];
  /** True if an archive without the app's entry file is allowed (--any-content); secrets never are. */
  anyContent: boolean;
}

/**
 * The severities for a version that is about to be published: a number that is too large cannot be taken back. One that
 * is not compared with others is always refused.
 */
export function versionSeverities(set: Severities, version: string): Severities {
  return isComparable(version)
    ? { 'version-number-too-large': 'error', ...set }
    : { ...set, 'version-number-too-large': 'error' };
}

/** The severities for an artifact that is about to be published: without its app, it is refused. */
export function publishingSeverities(set: Severities, anyContent: boolean): Severities {
  if (anyContent || set['artifact-no-app'] === 'off') return set;
  return { ...set, 'artifact-no-app': 'error' };
}

/**
 * The facts about an archive without the secrets that the user and the configuration allow.
 * @returns with the fingerprints of the user that are not in the archive
 */
export function withoutAllowed(
  archive: ArchiveFacts,
  allowed: readonly string[],
  excepted: readonly string[] = [],
): { archive: ArchiveFacts; unused: string[] } {
  const { scan } = archive;
  const all = [...allowed, ...excepted];
  if (scan === undefined || all.length === 0) return { archive, unused: [...allowed] };
  const secrets = scan.secrets.filter(({ fingerprint }) => !all.includes(fingerprint));
  const secretCount = scan.secretCount - (scan.secrets.length - secrets.length);
  const found = new Set(scan.secrets.map(({ fingerprint }) => fingerprint));
  return {
    archive: { ...archive, scan: { ...scan, secrets, secretCount } },
    unused: allowed.filter((fingerprint) => !found.has(fingerprint)),
  };
}

/**
 * Checks an artifact that is about to be packed or published, with the rules of lint about its content.
 * @param inspected with a scan of its content
 * @returns the warnings
 * @throws AppregError `rule-violation` (exit 1) that names the rules
 */
export function checkContent(
  { content, archive: inspected }: { content: Content; archive: ArchiveFacts },
  { severities: set, appEntry, allowedSecrets, exceptedSecrets, anyContent }: ContentSettings,
): string[] {
  const { archive, unused } = withoutAllowed(inspected, allowedSecrets, exceptedSecrets);
  const { scan } = archive;
  if (scan === undefined) throw new Error('The content of the artifact was not scanned.');
  const severities = publishingSeverities(set, anyContent);
  const facts = { url: null, file: null, web: UNPUBLISHED, content, archive };
  const errors: Violation[] = [];
  const warnings = unused.map(unusedSecret);
  for (const [rule, found] of [
    [artifactNoApp, artifactNoApp.check({ content, archive, appEntry: appEntry ?? APP_ENTRY })],
    [artifactSecret, artifactSecret.check({ facts, scan, isPublishing: true })],
    [artifactLeftover, artifactLeftover.check({ archive, wholeScan: scan })],
  ] as const) {
    const severity = severities[rule.id] ?? rule.severity;
    if (severity === 'off') continue;
    for (const problem of [found ?? []].flat())
      if (severity === 'error') errors.push(violationOf(rule.id, problem));
      else warnings.push(printable(problem.message));
  }
  if (errors.length > 0) throw ruleViolation(errors, 'pack');
  return warnings;
}

function violationOf(rule: string, { message, advice, evidence = {} }: Problem): Violation {
  return { rule, text: message, advice, evidence };
}

const UNPUBLISHED: Missing = { missing: { code: 'offline' }, runWide: true };

/** Message about an allowed fingerprint that the artifact does not have. */
export function unusedSecret(fingerprint: string): string {
  return `--allow-secret ${printable(fingerprint)}: the artifact contains no secret with this fingerprint`;
}
