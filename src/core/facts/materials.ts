import type { Count } from '../scalars.ts';

/** What is known about the packages in an artifact, from its bill of materials and a folder of advisories. */
export interface MaterialsFacts {
  /** The packages that the bill of materials lists. */
  packages: Count;
  /** Those that an advisory affects, in the order of the bill. */
  vulnerable: VulnerablePackage[];
}

export interface VulnerablePackage {
  name: string;
  version: string;
  /** Each vulnerability once; by id. */
  advisories: KnownAdvisory[];
}

/** An advisory in the format of OSV. */
export interface KnownAdvisory {
  id: string;
  /** Its ids in other databases. */
  aliases: string[];
  summary: string;
  /** In one word, such as `high`; null if the database does not give it. */
  severity: string | null;
  /** The higher versions in which it was fixed, in ascending order. */
  fixed: string[];
}
