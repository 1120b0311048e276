import type { AppVerdict, Finding } from '../core/engine/report.ts';

/** Why subscribers do not see an app, as worded by all reporters. */

/** The apps whose metadata file lists no version yet, except those that had versions before. */
export function unpublishedApps(findings: readonly Finding[]): ReadonlySet<string> {
  const unpublished = new Set<string>();
  for (const { rule, cause, app } of findings)
    if (rule === 'no-valid-versions' && cause === 'empty' && app !== null) unpublished.add(app);
  for (const { rule, app } of findings) if (rule === 'version-withdrawn' && app !== null) unpublished.delete(app);
  return unpublished;
}

/** Continues a sentence that ends in "hidden, because". @param named formats the id of a rule */
export function reasonWords(
  { key, because }: Pick<AppVerdict, 'key' | 'because'>,
  unpublished: ReadonlySet<string>,
  named: (rule: string) => string = (rule) => rule,
): string {
  if (!unpublished.has(key)) return `of ${because.map(named).join(', ')}`;
  const others = because.filter((rule) => rule !== 'no-valid-versions').map(named);
  return `${others.length === 0 ? '' : `of ${others.join(', ')}, and because `}no version is published yet`;
}
