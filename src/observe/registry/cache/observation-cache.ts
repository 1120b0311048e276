import { createHash } from 'node:crypto';
import type { AppFacts, DocumentFacts, HttpViews, Missing, Probe } from '../../../core/facts/facts.ts';
import type { KnownAbout } from '../about.ts';

/**
 * Results of earlier runs (`--cache`): facts of observations that were complete, matched and had no error. The caller
 * decides where they are stored, and adds those of this run from its parts.
 */
export interface ObservationCache {
  /** ISO 8601; the time of this run. */
  now: string;
  /**
   * True for an hourly observation: icons, and how a host responds to browsers and conditional requests, are reused for
   * a day, so that an unchanged resource costs one conditional request.
   */
  daily?: boolean;
  manifest(): DocumentFacts | null;
  app(key: string): RememberedApp | null | Promise<RememberedApp | null>;
  /**
   * The about file of an app, which is then requested with one conditional GET. Absent if about files are always
   * requested as a whole.
   */
  about?(key: string): Promise<KnownAbout | null>;
}

/** The facts about one app, with an id for each artifact: its URL may contain a secret, and is not stored as it is. */
export interface RememberedApp {
  ids: readonly string[];
  facts: AppFacts;
}

/** The views of a resource: how it responds to a browser. */
export type Views = Omit<HttpViews, 'server'>;

const HOUR = 3_600_000;
/** How long verified artifacts are reused; a limit is needed since a deleted one would never be noticed. */
export const ARTIFACT_AGE = 30 * 24 * HOUR;
/** How a host responds to browsers does not depend on whether a file changed, so it is not reused for longer. */
export const VIEWS_AGE = 24 * HOUR;
/** A certificate that expires this soon may be renewed any day. */
export const RENEWAL = 30 * 24 * HOUR;

/** Why an artifact has no views, if they were requested of another one. */
export const REQUESTED_ONCE: Missing = {
  missing: { code: 'once-per-host' },
  runWide: true,
  intentional: true,
};

/** The key of an artifact in the cache. */
export function artifactId(url: string, digest: string): string {
  return createHash('sha256').update(`${url} ${digest}`).digest('hex');
}

/** The probes of all views, except those that were repeated to find a cause. */
export function probesIn(views: Views): Probe[] {
  const { revalidation, headerProbes: _, repeatedProbes: __, ...others } = views;
  return [...Object.values(others), revalidation?.probe].flat().filter(isProbe);
}

/** True for a probe, as opposed to a missing fact. */
export function isProbe(value: unknown): value is Probe {
  return typeof value === 'object' && value !== null && 'hops' in value && Array.isArray(value.hops);
}
