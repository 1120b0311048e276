import type { RunError } from '../findings/report.ts';
import { recordFrom } from '../values/record.ts';
import type { Count } from '../values/scalars.ts';
import { type EntryChanges, hasWrites } from './entry-changes.ts';
import { type AppWithoutFolder, isFolderLost } from './without-folder.ts';
import { FAILING_STATES, RELEASE_STATES, type ReleaseState } from './state.ts';

/**
 * The output of `release --format json` (schemas/release.schema.json). A run that ended early has the outcome
 * `incomplete`, and an error.
 *
 * @title Report of appreg release
 */
export interface ReleaseReport {
  schema: 1;
  tool: { name: 'appreg'; version: string };
  command: 'release';
  /** `incomplete`: the run ended before all apps were judged. */
  outcome: 'clean' | 'findings' | 'incomplete';
  summary: Record<ReleaseState, Count> & {
    /** Apps whose declared version this run published. */
    published: Count;
    /** Apps that are broken, or whose publication failed. */
    failed: Count;
    /** Apps with texts or an icon that are to be published, or that this run published. */
    changedTexts: Count;
    /** Listed apps without a folder. */
    withoutFolder: Count;
    /** Apps with a text or an icon that was changed elsewhere, and is not published. */
    conflicts: Count;
  };
  /** False if all apps are unchanged or rebuilt, with their texts: a pull request needs no comment. */
  notable: boolean;
  /** Sorted by key. */
  apps: ReleasedApp[];
  /** The listed apps without a folder, sorted by key; none if only some apps were selected. */
  withoutFolder: AppWithoutFolder[];
  /** The planned writes, in this order; null except for a dry run. */
  plan: PlannedWrite[] | null;
  /** The error that ended the run early. */
  error?: RunError;
  /** Writes of a run that ended early, by path. */
  written?: object | null;
}

/** A file that would be written. */
interface PlannedWrite {
  kind: 'create' | 'replace' | 'edit';
  path: string;
  what: string;
}

export interface ReleasedApp {
  key: string;
  /** Relative to the configuration. */
  folder: string;
  state: ReleaseState;
  /** The version that the app declares; null if it cannot be read. */
  declared: string | null;
  /** The highest listed version. */
  listed: string | null;
  /** Of the archive that was built; null for a broken app. */
  checksum: string | null;
  /** Of the declared version, as it is listed. */
  listedChecksum: string | null;
  /** The names that app.js exports; null if they are not known; absent if it was not loaded. */
  exports?: string[] | null;
  /** True if this run published the declared version. */
  published: boolean;
  /** A fact that the author has to know about the app. */
  message: string | null;
  /** The next step. */
  advice: string | null;
  /** The texts and the icon of its folder that differ from those of a listed app. */
  changes: EntryChanges;
}

/** The report of a run that ended before any app was judged. */
export function incompleteRelease(version: string): ReleaseReport {
  return { ...releaseReport(version, [], new Set()), outcome: 'incomplete' };
}

/**
 * @param failed the keys of the apps whose publication failed, and that are not broken
 * @param options.plan of a dry run
 * @param options.withoutFolder listed apps without a folder
 */
export function releaseReport(
  version: string,
  apps: readonly ReleasedApp[],
  failed: ReadonlySet<string>,
  {
    plan = null,
    withoutFolder = [],
  }: { plan?: readonly PlannedWrite[] | null; withoutFolder?: readonly AppWithoutFolder[] } = {},
): ReleaseReport {
  const states = recordFrom(
    RELEASE_STATES.map((state) => [state, apps.filter((app) => app.state === state).length] as const),
  );
  const published = apps.filter((app) => app.published).length;
  const changedTexts = apps.filter(({ changes }) => hasWrites(changes)).length;
  const conflicts = apps.filter(({ changes }) => changes.conflicts.length > 0).length;
  const isFailing =
    failed.size > 0 ||
    conflicts > 0 ||
    withoutFolder.some(isFolderLost) ||
    FAILING_STATES.some((state) => states[state] > 0);
  return {
    schema: 1,
    tool: { name: 'appreg', version },
    command: 'release',
    outcome: isFailing ? 'findings' : 'clean',
    summary: {
      ...states,
      published,
      failed: states.broken + failed.size,
      changedTexts,
      conflicts,
      withoutFolder: withoutFolder.length,
    },
    notable:
      isFailing || states.new > 0 || changedTexts > 0 || withoutFolder.some(({ renamedTo }) => renamedTo !== null),
    apps: apps.toSorted((a, b) => (a.key < b.key ? -1 : 1)),
    withoutFolder: withoutFolder.toSorted((a, b) => (a.key < b.key ? -1 : 1)),
    plan: plan && plan.map(({ kind, path, what }) => ({ kind, path, what })),
  };
}
