import { LOCK_FILE } from '../core/registry/lock-file.ts';
import type { ReleasedApp } from '../core/release/report.ts';
import { brokenBy, type EvaluatedApp } from './evaluate.ts';
import type { PublishedApp } from './outcome.ts';

/** The results of a release in its report. */

/** The keys of the apps that were not refused, and could not be published, or not recorded in a lock file. */
export function notPublished(results: readonly PublishedApp[]): Set<string> {
  return new Set(
    results.flatMap(({ app, outcome, error }) => (error !== null && outcome !== 'refused' ? app.key : [])),
  );
}

/** The apps as they are reported. One that was refused is broken. */
export function withResults(evaluated: readonly EvaluatedApp[], results: readonly PublishedApp[]): ReleasedApp[] {
  const byApp = new Map(results.map((result) => [result.app, result]));
  return evaluated.map((one) => {
    const result = one.prepared === null ? undefined : byApp.get(one.prepared);
    return result === undefined ? one.result : resultOf(one, result);
  });
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
