import { advisoryIn, vulnerablePackages } from '../../src/core/advisories/osv.ts';
import type { JsonValue } from '../../src/core/json/json.ts';
import { billOfMaterialsIn } from '../../src/core/registry/bill-of-materials.ts';

/** Advisories, and facts about the packages in an artifact. */

/** A record of OSV about all versions of a package below the fixed one; null for one without a fix. */
export function osvRecord(id: string, name: string, fixed: string | null, more: object = {}): JsonValue {
  const events = [{ introduced: '0' }, ...(fixed === null ? [] : [{ fixed }])];
  const affected = [{ package: { ecosystem: 'npm', name }, ranges: [{ type: 'SEMVER', events }] }];
  return JSON.parse(
    JSON.stringify({ schema_version: '1.6.0', id, modified: '2026-01-01T00:00:00Z', affected, ...more }),
  );
}

/** A bill of materials with these packages, as `name@version`. */
export function billText(packages: readonly string[], sha256: string | null = null): string {
  const components = packages.map((one) => ({ type: 'library', name: one, purl: `pkg:npm/${one}` }));
  const hashes = sha256 === null ? [] : [{ alg: 'SHA-256', content: sha256 }];
  const metadata = { component: { type: 'application', name: 'a', hashes } };
  return JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', metadata, components });
}

/** The facts of the lines `component: <purl>` and `advisory: <id> <package> <<version>`. */
export function materialsFacts(text: string): Record<string, unknown> {
  const components = [...text.matchAll(/^component: (\S+)$/gm)].map(([, purl = '']) => ({ purl }));
  const bill = billOfMaterialsIn({ bomFormat: 'CycloneDX', components });
  const advisories = [...text.matchAll(/^advisory: (\S+) (\S+) <(\S+)$/gm)].flatMap(
    ([, id = '', name = '', fixed = '']) => advisoryIn(osvRecord(id, name, fixed)) ?? [],
  );
  const packages = bill?.packages ?? [];
  return { materials: { packages: packages.length, vulnerable: vulnerablePackages(packages, () => advisories) } };
}
