import type { Evidence } from '../core/engine/report.ts';
import type { Owner } from '../core/rules/owners.ts';
import type { AnyRule, ExplainedBy } from '../core/rules/rule.ts';

/** What a rule declares, in words: for docs/rules.md and for the terminal. */

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
  materials: 'Packages in artifacts',
  attestation: 'Attestations (--attestations)',
  about: 'About files',
  icon: 'Icons',
  'local-file': 'Files of the workspace',
  file: 'File names of the workspace',
  workspace: 'The workspace',
  host: 'Hosts',
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
const EVIDENCE: readonly Evidence[] = [{}, { fromCache: 'age: 60' }, { page: 'app-shell' }, { issuer: 'O=Fortinet' }];

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
export interface RuleExplanation {
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
