import type { AttestedVersions } from '../core/attestation/attested-versions.ts';
import type { Diagnosis } from '../core/engine/diagnosis.ts';
import type { Severity } from '../core/values/severity.ts';
import { PLAIN, type Style } from './style.ts';

/** The formats of checks. */
export const FORMATS = ['pretty', 'json', 'sarif', 'junit', 'github', 'gitlab', 'markdown'] as const;

/** The formats of reports. */
export type CheckFormat = (typeof FORMATS)[number];
export const CONFORMANCE_FORMATS = ['pretty', 'json', 'junit', 'html'] as const;
/** The formats of all commands. */
export type Format = CheckFormat | (typeof CONFORMANCE_FORMATS)[number];
/** The formats of commands that check nothing. */
export const RESULT_FORMATS = ['pretty', 'json'] as const satisfies readonly Format[];
/** The formats of commands whose result is also made for a comment on a pull request. */
export const COMMENT_FORMATS = [...RESULT_FORMATS, 'markdown'] as const satisfies readonly Format[];

/** The options of reporters in addition to the report. */
export interface RenderOptions {
  style: Style;
  /** Show the evidence of every finding, and every check that was not made. */
  verbose: boolean;
  /**
   * The folder that the report's file names are relative to, below the repository's root: '' or a path such as
   * `registries/acme`.
   */
  folder: string;
  maxWarnings: number | null;
  /** The severities from the configuration and --rule. */
  severities: Readonly<Record<string, Severity | 'off'>>;
  /** Additional data of a diagnosis; if set, reports for people are grouped by symptom. */
  diagnosis: Diagnosis | null;
  /** Facts that attestations prove; empty if none were checked. */
  attested: readonly AttestedVersions[];
}

export const DEFAULTS: RenderOptions = {
  style: PLAIN,
  verbose: false,
  folder: '',
  maxWarnings: null,
  severities: {},
  diagnosis: null,
  attested: [],
};
