import type { AppVerdict } from '../findings/report.ts';
import type { OfferedVersion, VersionErrors } from './visibility.ts';

/** Result of the judgement of an app. */
export interface JudgedApp {
  /** As the report has it. */
  verdict: AppVerdict;
  /** The verdict if only its documents are considered. */
  documents: AppVerdict;
  /** The errors of its versions, whatever the settings: those that keep them from being offered. */
  errors: VersionErrors;
  /** The decisions about its valid versions; empty if only its documents were examined. */
  offers: readonly OfferedVersion[];
}
