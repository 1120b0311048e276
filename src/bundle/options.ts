import type { BuildSettings } from '../core/release/build-settings.ts';

/** Options of `bundle`. */
export interface BundleOptions extends BuildSettings {
  /** Absolute: a source file to build, or a folder to pack unchanged. */
  entry: string;
  /** Absolute: a second source file, built for browsers to ui.js. */
  ui?: string;
  /** Where the options are written, by the JSON Pointer of a value, such as `/include/0`; for messages. */
  places?: ReadonlyMap<string, string>;
  /** Absolute: a file that is never packed, such as the archive of the previous run. */
  leaveOut?: string;
  /** False to omit the license notices of the packages in the code. */
  notices?: boolean;
  /** The licenses that packages in the code may have, and what is known about them. */
  licenses?: LicenseSettings;
  /** Absolute: the base of paths in messages; default: the entry's folder. */
  cwd?: string;
  /** Also determines what the archive was built from (`Bundle.provenance`), which takes a little longer. */
  traced?: boolean;
}

export interface LicenseSettings {
  /** SPDX license expressions; absent: any. */
  allow?: readonly string[];
  /** The SPDX license expressions of packages that do not declare one, by name and version: `busboy@1.6.0`. */
  clarified?: Readonly<Record<string, string>>;
  /** The license texts of packages that contain none, by name and version. */
  texts?: Readonly<Record<string, string>>;
}
