import { LOCK_FILE } from '../core/registry/lock-file.ts';
import type { ReleasedApp } from '../core/release/report.ts';
import { brokenBy, type EvaluatedApp } from './evaluate.ts';
import type { PublishedApp } from './outcome.ts';
import type { PublishedEntry } from './plan-entries.ts';
import type { PublishedAll } from './publish-all.ts';

/** The results of a release in its report. */

/** Results for the apps, and for the texts and icons of listed ones. */
export type ReleaseResults = Pick<PublishedAll, 'results' | 'entries'>;

/** The keys of the apps that were not refused, and could not be published, or not recorded in a lock file. */
export function notPublished({ results, entries }: ReleaseResults): Set<string> {
  const versions = results.flatMap(({ app, outcome, error }) =>
    error !== null && outcome !== 'refused' ? app.key : [],
  );
  return new Set([...versions, ...entries.flatMap(({ app, error }) => (error === null ? [] : app.key))]);
}

/** The apps as they are reported. One that was refused is broken. */
export function withResults(evaluated: readonly EvaluatedApp[], { results, entries }: ReleaseResults): ReleasedApp[] {
  const byApp = new Map(results.map((result) => [result.app, result]));
  const byDescription = new Map(entries.map((entry) => [entry.app, entry]));
  return evaluated.map((one) => {
    const result = one.prepared === null ? undefined : byApp.get(one.prepared);
    const reported = result === undefined ? one.result : resultOf(one, result);
    const entry = one.described === null ? undefined : byDescription.get(one.described);
    return entry === undefined ? reported : withEntry(reported, entry);
  });
}

/** The report of an app, with what happened to its texts and icon. */
function withEntry(reported: ReleasedApp, { changes, error }: PublishedEntry): ReleasedApp {
  if (error === null) return { ...reported, changes };
  return { ...reported, changes: { ...changes, error: { message: error.message, advice: error.hint } } };
}

function resultOf(one: EvaluatedApp, { outcome, error }: PublishedApp): ReleasedApp {
  const { result } = one;
  if (outcome === 'refused' && error !== null) return brokenBy(one, error).result;
  if (error !== null && (outcome === 'failed' || result.state !== 'new'))
    return { ...result, message: error.message, advice: error.hint };
  if (outcome === 'planned' || result.state !== 'new') return result;
  const { declared } = result;
  const done =
    outcome === 'already-published'
      ? `Another run published ${declared} with the same bytes.`
      : `Published ${declared}.`;
  return {
    ...result,
    published: outcome === 'published',
    message: error === null ? done : `${done} ${LOCK_FILE} does not have it yet: ${error.summary}`,
    advice: error?.hint ?? null,
  };
}
