import type { Evidence } from '../core/values/evidence.ts';
import type { Severity } from '../core/values/severity.ts';
import type { Owner } from '../core/rules/owners.ts';
import type { AnyRule, ExplainedBy } from '../core/rules/rule.ts';
import { counted, shorten } from '../core/text/text.ts';
import type { Style } from './style.ts';

/** Declarations of a rule, in words: for docs/rules.md and for the terminal. */

/** The groups of rules, by what they judge, in the order of the documentation. */
export const RULE_GROUPS: Record<AnyRule['on'], string> = {
  document: 'Documents',
  manifest: 'The manifest as a whole',
  app: 'Entries of the manifest',
  url: 'URLs',
  metadata: 'Metadata files',
  version: 'Versions',
  resource: 'Responses',
  artifact: 'Artifacts',
  attestation: 'Attestations (--attestations)',
  about: 'About files',
  icon: 'Icons',
  'local-file': 'Files of the workspace',
  file: 'File names of the workspace',
  workspace: 'The workspace',
  host: 'Hosts',
  deployment: 'Stored files (--against)',
  subscription: 'The service (diagnose --service)',
  exception: 'Exceptions',
};

const OWNERS: Record<Owner, string> = {
  author: 'the author',
  host: 'the host',
  cache: 'the cache',
  network: 'the network',
  service: 'the service',
  user: 'the user of the check',
};

/** Evidence that makes another party responsible: a cached copy, a start page, an intercepted connection. */
const EVIDENCE: readonly Evidence[] = [
  {},
  { fromCache: 'age: 60' },
  { page: 'app-shell' },
  { issuer: 'O=Fortinet' },
  { proxy: 'http://proxy.example:3128 (HTTPS_PROXY)' },
];

/** The parties that may have to act, the usual one first. */
export function ownerNames(owner: AnyRule['owner']): Owner[] {
  if (typeof owner === 'string') return [owner];
  return [...new Set(EVIDENCE.map((evidence) => owner({ cause: null, evidence })))];
}

/** The same in words. */
export function ownersOf(owner: AnyRule['owner']): string {
  return ownerNames(owner)
    .map((name) => OWNERS[name])
    .join(' or ');
}

/** The findings that explain those of a rule, by the reason. */
interface RuleExplanation {
  because: string;
  /** `causes`: null for all of the rule. */
  findings: { rule: string; causes: readonly string[] | null }[];
  /** The causes of the rule itself that they explain; null for all. */
  only: readonly string[] | null;
}

/** The reasons why findings of a rule are left out beside those of other rules. */
export function explanations(list: readonly ExplainedBy[]): RuleExplanation[] {
  const byReason = new Map<string, RuleExplanation>();
  for (const { rule, causes = null, only = null, because } of list) {
    const finding = { rule, causes };
    const same = byReason.get(because);
    if (same) same.findings.push(finding);
    else byReason.set(because, { because, findings: [finding], only });
  }
  return [...byReason.values()];
}

/**
 * An explanation as a sentence.
 * @param code marks names
 */
export function explanationText({ because, findings, only }: RuleExplanation, code: (name: string) => string): string {
  const by = findings.map(({ rule, causes }) =>
    causes === null ? code(rule) : `${code(rule)} (${causes.map(code).join(', ')})`,
  );
  return `${by.join(', ')}${only === null ? '' : `, for ${only.map(code).join(', ')}`}: ${because}.`;
}

/** A rule with the level that it has here. */
export interface LeveledRule {
  rule: AnyRule;
  level: Severity | 'off';
}

/**
 * The rules by group, in aligned columns: id, level, and when the rule fails.
 * @param width the columns of the terminal; null to shorten nothing
 */
export function rulesTable(rules: readonly LeveledRule[], style: Style, width: number | null): string {
  if (rules.length === 0) return 'No rule matches.';
  const idWidth = Math.max(...rules.map(({ rule }) => rule.id.length));
  const levelWidth = Math.max('level'.length, ...rules.map((one) => levelText(one).length));
  const rest = width === null ? Infinity : Math.max(20, width - idWidth - levelWidth - 6);
  const lines = [style.dim(`  ${'rule'.padEnd(idWidth)}  ${'level'.padEnd(levelWidth)}  fails when`)];
  for (const [on, title] of Object.entries(RULE_GROUPS)) {
    const group = rules.filter(({ rule }) => rule.on === on);
    if (group.length === 0) continue;
    lines.push('', style.underline(title));
    for (const one of group) {
      const when = shorten(one.rule.failsWhen.replaceAll('`', ''), rest);
      const level = colored(one.level, style)(levelText(one).padEnd(levelWidth));
      lines.push(`  ${one.rule.id.padEnd(idWidth)}  ${level}  ${when}`);
    }
  }
  const isChanged = rules.some(({ rule, level }) => rule.severity !== level);
  lines.push('', `${counted(rules.length, 'rule')}${isChanged ? '; * marks a level that is not the default' : ''}`);
  return lines.join('\n');
}

function levelText({ rule, level }: LeveledRule): string {
  return rule.severity === level ? level : `${level}*`;
}

function colored(level: LeveledRule['level'], style: Style): (text: string) => string {
  if (level === 'error') return style.red;
  return level === 'warning' ? style.yellow : style.dim;
}
