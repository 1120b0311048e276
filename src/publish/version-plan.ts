import type { NewVersion } from '../author/metadata.ts';
import type { Finding } from '../core/findings/report.ts';
import type { SkippedNumber } from './artifact.ts';
import type { EditStep } from './edit-step.ts';
import type { LineChanges, Plan, PlannedStep } from './plan.ts';

/** The plan of `planVersion`. */
export interface VersionPlan {
  entry: NewVersion;
  /** True if these bytes are already listed; the artifact itself may still be missing in the store. */
  published: boolean;
  plan: Plan<PlannedStep>;
  /** The step of the plan that lists the app in the manifest; null if it is listed. */
  listingStep: EditStep | null;
  /** The numbers below it that are taken by files, although they are not listed. */
  skipped: readonly SkippedNumber[];
  /** The path of the artifact in the store; null if it is hosted elsewhere. */
  path: string | null;
  /** The files of the parts, also those that need no step now. */
  files: string[];
  /** Name of the published thing in messages. */
  subject: string;
  /** The lines of the metadata file that change; null if none do. */
  lines(): LineChanges | null;
  /** Warnings and notes about the new version, and about an app that is listed with it. */
  findings: Finding[];
}
