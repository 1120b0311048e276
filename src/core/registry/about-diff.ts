import { type About, type AboutVersion, readAboutFile } from '../about/about-file.ts';
import type { RetirementReason } from '../about/about-document.ts';
import { compareText } from '../engine/order.ts';
import { isMissing, type Snapshot } from '../facts/facts.ts';

/** What the about files of two states say differently. */

/** A difference about an app (`version` null), or about one of its versions. */
export interface AboutDiff {
  app: string;
  version: string | null;
  change: 'retired' | 'restored' | 'retirement-changed' | 'notes-changed' | 'published-changed' | 'links-changed';
  /** Why it is retired afterwards; null if it is not, and for any other change. */
  reason: RetirementReason | null;
}

/**
 * Compares the about files of the apps that both states have. A file that is broken or was not read is not compared; an
 * app without one is compared as one of which nothing is said.
 */
export function diffAbout(before: Snapshot, after: Snapshot): AboutDiff[] {
  if (!knowsAbout(before) || !knowsAbout(after)) return [];
  const old = new Map(before.apps.map((app) => [app.key, app]));
  return after.apps
    .toSorted((a, b) => compareText(a.key, b.key))
    .flatMap((app) => {
      const earlier = old.get(app.key);
      const [was, is] = [earlier && aboutOf(earlier), aboutOf(app)];
      return was && is ? appDiff(app.key, was, is) : [];
    });
}

/** False for saved facts for which no about file was requested: only these say whether they are complete. */
function knowsAbout({ apps, incomplete }: Snapshot): boolean {
  return incomplete === undefined || apps.some(({ about }) => about !== undefined);
}

const NOTHING: About = {
  app: { homepage: null, source: null, licence: null, support: null },
  versions: new Map(),
};

/** Null if the file cannot be used. */
function aboutOf({ about }: Snapshot['apps'][number]): About | null {
  if (about === undefined) return NOTHING;
  return isMissing(about.content) ? null : readAboutFile(about.content).about;
}

function appDiff(app: string, before: About, after: About): AboutDiff[] {
  const found: AboutDiff[] = [];
  if (JSON.stringify(before.app) !== JSON.stringify(after.app))
    found.push({ app, version: null, change: 'links-changed', reason: null });
  for (const version of new Set([...after.versions.keys(), ...before.versions.keys()]))
    for (const change of versionChanges(before.versions.get(version), after.versions.get(version))) {
      const reason = after.versions.get(version)?.deprecated?.reason ?? null;
      found.push({ app, version, change, reason: change.startsWith('ret') ? reason : null });
    }
  return found;
}

function versionChanges(before: AboutVersion | undefined, after: AboutVersion | undefined): AboutDiff['change'][] {
  const [was, is] = [before?.deprecated ?? null, after?.deprecated ?? null];
  return [
    ...(JSON.stringify(was) === JSON.stringify(is) ? [] : [retirementChange(was !== null, is !== null)]),
    ...((before?.notes ?? null) === (after?.notes ?? null) ? [] : (['notes-changed'] as const)),
    ...((before?.published ?? null) === (after?.published ?? null) ? [] : (['published-changed'] as const)),
  ];
}

function retirementChange(was: boolean, is: boolean): AboutDiff['change'] {
  if (!was) return 'retired';
  return is ? 'retirement-changed' : 'restored';
}
