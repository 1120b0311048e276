import { joined, message, type SafeText } from '../core/text/message.ts';
import type { Evidence } from '../core/engine/report.ts';
import { unnamedSecrets } from '../core/rules/artifacts/artifact-secret.ts';
import { AppregError } from '../core/errors.ts';

/** The error for a change or an artifact that rules refuse. */

export interface Violation {
  rule: string;
  /** What is shown of it. */
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
  if (rules.includes('version-number-too-large'))
    advice.push('To publish it as it is: --rule version-number-too-large=warning');
  return new AppregError('rule-violation', linesOf(lines), linesOf(advice), { effect: 'none', rules });
}

function linesOf(lines: readonly string[]): SafeText {
  return joined(
    lines.map((line) => message`${line}`),
    '\n  ',
  );
}
