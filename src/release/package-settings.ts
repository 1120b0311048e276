import type { BundleOptions } from '../bundle/options.ts';

/** The settings of the configuration about the packages in the code that is built. */
export type PackageSettings = Pick<BundleOptions, 'notices' | 'licenses'>;

/** The options of a build that are about the packages in the code. */
export function packageSettings(
  { notices, licenses }: PackageSettings,
  options: { notices?: boolean } = {},
): PackageSettings {
  return { notices: options.notices !== false && notices !== false, ...(licenses && { licenses }) };
}

/** Whether a bill is required (--sbom), published where it can be made (`evidence.sbom`), or not wanted. */
export type BillWish = 'required' | 'if-known' | 'none';

export function billWish(options: { sbom?: boolean }, { evidence }: { evidence?: { sbom?: boolean } }): BillWish {
  if (options.sbom === true) return 'required';
  return evidence?.sbom === true ? 'if-known' : 'none';
}
