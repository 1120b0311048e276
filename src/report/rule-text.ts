import type { Evidence } from '../core/engine/report.ts';
import { NOT_THE_FILE } from '../core/rules/not-the-file.ts';
import type { Owner } from '../core/rules/owners.ts';
import type { AnyRule, RuleReference } from '../core/rules/rule.ts';

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
  icon: 'Icons',
  file: 'Files of the workspace',
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

function isNotTheFile(reference: RuleReference): boolean {
  return NOT_THE_FILE.some(
    ({ rule, cause }) => 'cause' in reference && rule === reference.rule && cause === reference.cause,
  );
}

/** The rules that explain a rule's findings, and in words what several causes have in common. */
export function explanations(references: readonly RuleReference[]): RuleExplanation[] {
  const list: RuleExplanation[] = references
    .filter((reference) => !isNotTheFile(reference))
    .map((reference) =>
      'cause' in reference ? { rule: reference.rule.id, cause: reference.cause } : { rule: reference.id, cause: null },
    );
  if (list.length < references.length) list.push('a page or an error message instead of the file');
  return list;
}

export type RuleExplanation = { rule: string; cause: string | null } | string;
