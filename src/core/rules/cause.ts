import type { SafeText } from '../text/message.ts';
import type { Owner, OwnerByEvidence } from './owners.ts';

/** One way in which a rule fails. */
export interface CauseInfo {
  /** The problem in a few words: "The digest is in uppercase". */
  title: string;
  /** The party that has to act, if it is not the `owner` of the rule. */
  owner?: Owner | OwnerByEvidence;
  /** Advice in place of the check's, if the resource is a file that was read, and not requested. */
  local?: SafeText;
  /** As of the rule. */
  fixable?: boolean;
  /** As of the rule. */
  purge?: PurgeStep;
}

/** The causes of a rule, by their name in reports. A name that ends in `*` declares all causes with that prefix. */
export type Causes = Readonly<Record<string, CauseInfo>>;

/** The causes that a check may return: none if none are declared. */
export type CauseOf<C extends Causes> = [C] extends [never] ? never : CauseName<keyof C & string>;
type CauseName<K extends string> = K extends `${infer Prefix}*` ? `${Prefix}${string}` : K;

/** True if the cause is declared: for causes taken from facts, which may have been saved by another version. */
export function hasCause<C extends Causes>(causes: C, name: string): name is keyof C & string {
  return Object.hasOwn(causes, name);
}

/**
 * When to purge caches if a cached copy was seen. By default, first: a new copy may be right. `last`: the cause is a
 * setting, and the cache would store bad copies again if it were not fixed first. `in-advice`: the rule's advice contains that step.
 */
export type PurgeStep = 'last' | 'in-advice';

/** Looks up the declaration of a cause; undefined if it is not declared. */
export function causeInfo(causes: Causes | undefined, cause: string | null): CauseInfo | undefined {
  if (causes === undefined || cause === null) return undefined;
  if (Object.hasOwn(causes, cause)) return causes[cause];
  const family = Object.keys(causes).find((name) => name.endsWith('*') && cause.startsWith(name.slice(0, -1)));
  return family === undefined ? undefined : causes[family];
}
