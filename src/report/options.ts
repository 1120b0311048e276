import type { Diagnosis } from '../core/engine/diagnosis.ts';
import type { Severity } from '../core/engine/report.ts';
import { PLAIN, type Style } from './style.ts';

/** The formats of `--format`. */
export const FORMATS = ['pretty', 'json', 'sarif', 'junit', 'github', 'gitlab', 'markdown'] as const;
export type Format = (typeof FORMATS)[number];

/** What a reporter is told beside the report; each takes what it needs. */
export interface RenderOptions {
  style: Style;
  /** Show the evidence of every finding, and every check that was not made. */
  verbose: boolean;
  /** The folder that the report's file names are relative to, below the repository's root: '' or like `registries/acme`. */
  folder: string;
  maxWarnings: number | null;
  /** What the configuration and --rule say. */
  severities: Readonly<Record<string, Severity | 'off'>>;
  /** What a diagnosis knows besides: with it, people get the report by symptom. */
  about: Diagnosis | null;
}

export const DEFAULTS: RenderOptions = {
  style: PLAIN,
  verbose: false,
  folder: '',
  maxWarnings: null,
  severities: {},
  about: null,
};
