import type { AppVerdict, Finding } from '../core/engine/report.ts';

/** Why subscribers do not see an app, as every reporter words it. */

/** The apps whose metadata file lists no version yet; one that had versions before is not among them. */
export function unpublishedApps(findings: readonly Finding[]): ReadonlySet<string> {
  const unpublished = new Set<string>();
  for (const { rule, cause, app } of findings)
    if (rule === 'no-valid-versions' && cause === 'empty' && app !== null) unpublished.add(app);
  for (const { rule, app } of findings) if (rule === 'version-withdrawn' && app !== null) unpublished.delete(app);
  return unpublished;
}

/** The rest of a sentence that ends in "hidden, because". @param named how the id of a rule is written */
export function reasonWords(
  { key, because }: Pick<AppVerdict, 'key' | 'because'>,
  unpublished: ReadonlySet<string>,
  named: (rule: string) => string = (rule) => rule,
): string {
  if (!unpublished.has(key)) return `of ${because.map(named).join(', ')}`;
  const others = because.filter((rule) => rule !== 'no-valid-versions').map(named);
  return `${others.length === 0 ? '' : `of ${others.join(', ')}, and because `}no version is published yet`;
}
