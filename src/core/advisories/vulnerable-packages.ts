import { compareText } from '../engine/order.ts';
import type { KnownAdvisory, VulnerablePackage } from '../facts/facts.ts';
import type { PackageVersion } from '../registry/bill-of-materials.ts';
import { affects, type Advisory } from './osv.ts';

/**
 * The packages that advisories affect.
 * @param advisoriesOf the advisories about a package, also about other versions of it
 */
export function vulnerablePackages(
  packages: readonly PackageVersion[],
  advisoriesOf: (name: string) => readonly Advisory[],
): VulnerablePackage[] {
  return packages.flatMap(({ name, version }) => {
    const found = advisoriesOf(name).flatMap((advisory): KnownAdvisory[] => {
      const affected = affects(advisory, name, version);
      const { id, aliases, summary, severity } = advisory;
      return affected === null ? [] : [{ id, aliases: [...aliases], summary, severity, ...affected }];
    });
    return found.length === 0 ? [] : [{ name, version, advisories: withoutAliases(found) }];
  });
}

/** One of several records of the same vulnerability: databases import each other's. */
function withoutAliases(advisories: readonly KnownAdvisory[]): KnownAdvisory[] {
  const kept: KnownAdvisory[] = [];
  for (const one of advisories.toSorted((a, b) => compareText(a.id, b.id))) {
    const names = new Set([one.id, ...one.aliases]);
    const same = kept.find(({ id, aliases }) => [id, ...aliases].some((name) => names.has(name)));
    if (same === undefined) kept.push(one);
    else {
      same.aliases = [...new Set([...same.aliases, ...names])].filter((name) => name !== same.id).toSorted(compareText);
      same.severity ??= one.severity;
      if (same.fixed.length === 0) same.fixed = one.fixed;
    }
  }
  return kept;
}
