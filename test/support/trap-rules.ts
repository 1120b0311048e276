import { rules } from '../../src/core/rules/index.ts';
import { type AnyRule, defineRule } from '../../src/core/rules/rule.ts';
import { message } from '../../src/core/text/message.ts';

/**
 * Rules as a contributor adds them, one for each subject that a registry has several of. Each has a finding about the
 * last of four apps only, after three ordinary ones; those about a document's value have one about every document. A
 * report without one of these findings means that something was not judged by the rules.
 */

/** The key of the last app, which is part of the URLs of its files. */
export const LAST_APP = 'delta';
export const APP_KEYS = ['alpha', 'bravo', 'charlie', LAST_APP];
/** The version that only the last app has. */
export const LAST_VERSION = '4.4.4';

const FOUND = { message: message`The trap was sprung.`, advice: message`Nothing to do.` };

const COMMON = {
  title: 'a trap of a test',
  severity: 'warning',
  spec: null,
  symptom: null,
  owner: 'author',
  failsWhen: 'a test says so',
  why: 'It does not matter.',
  examples: { bad: '', good: '' },
} as const;

function found(isLast: boolean): typeof FOUND | null {
  return isLast ? FOUND : null;
}

const isOfLast = (url: string): boolean => url.includes(`/${LAST_APP}`);

/** By subject. */
export const TRAPS = {
  document: defineRule({
    ...COMMON,
    id: 'trap-document',
    on: 'document',
    needs: ['value'],
    check: ({ value }) => found(JSON.stringify(value).includes('"apps":{"alpha":{') || hasVersion(value)),
  }),
  app: defineRule({
    ...COMMON,
    id: 'trap-app',
    on: 'app',
    needs: ['name'],
    check: ({ name }) => found(name === LAST_APP),
  }),
  metadata: defineRule({
    ...COMMON,
    id: 'trap-metadata',
    on: 'metadata',
    needs: ['versions'],
    check: ({ versions }) => found(versions.some(({ version }) => version === LAST_VERSION)),
  }),
  version: defineRule({
    ...COMMON,
    id: 'trap-version',
    on: 'version',
    needs: ['version'],
    check: ({ version }) => found(version === LAST_VERSION),
  }),
  url: defineRule({ ...COMMON, id: 'trap-url', on: 'url', needs: ['url'], check: ({ url }) => found(isOfLast(url)) }),
  resource: defineRule({
    ...COMMON,
    id: 'trap-resource',
    on: 'resource',
    needs: ['url'],
    check: ({ url }) => found(isOfLast(url)),
  }),
  artifact: defineRule({
    ...COMMON,
    id: 'trap-artifact',
    on: 'artifact',
    needs: ['facts'],
    check: ({ facts }) => found(isOfLast(facts.url ?? '')),
  }),
  icon: defineRule({
    ...COMMON,
    id: 'trap-icon',
    on: 'icon',
    needs: ['facts'],
    check: ({ facts }) => found(isOfLast(facts.url ?? '')),
  }),
} satisfies Record<string, AnyRule>;

function hasVersion(value: unknown): boolean {
  return JSON.stringify(value).includes(`"version":"${LAST_VERSION}"`);
}

/** The ids of the traps, sorted. */
export const TRAP_IDS: readonly string[] = Object.values(TRAPS)
  .map(({ id }) => id)
  .sort();

/** Adds the traps to the rules, as an entry in their list does. @returns removes them */
export function addTraps(): () => void {
  const list = rules as AnyRule[];
  const before = list.length;
  list.push(...Object.values(TRAPS));
  return () => void list.splice(before);
}

/** The traps with a finding, each once, sorted. */
export function sprung(findings: readonly { rule: string }[]): string[] {
  return [...new Set(findings.flatMap(({ rule }) => (rule.startsWith('trap-') ? [rule] : [])))].sort();
}
