import { decideVersions, latestAllowed } from '../../core/policy/decide.ts';
import { NO_POLICY, type Policy } from '../../core/policy/policy.ts';
import { type AppDecisions, type PolicyPreview, previewOf } from '../../core/policy/preview.ts';
import type { CandidateApp } from './candidates-store.ts';

/** What a policy would hide from a subscription, and what would appear. Pure: apps in portions in, the preview out. */

/** @param policy null for none */
export function openPreview(
  policy: Policy | null,
  now: Date,
): { add(apps: readonly CandidateApp[]): void; end(): PolicyPreview } {
  const [before, after]: [AppDecisions[], AppDecisions[]] = [[], []];
  return {
    add(apps) {
      for (const app of apps) {
        before.push(offeredNow(app));
        const versions = decideVersions(policy ?? NO_POLICY, app, now);
        after.push({ key: app.key, versions, latest: latestAllowed(versions, app.about) });
      }
    },
    end: () => previewOf(before, after),
  };
}

/** What is offered now, as it was decided: a version that was not decided about is not offered. */
function offeredNow({ key, about, versions }: CandidateApp): AppDecisions {
  const offered = versions.filter(({ isOffered }) => isOffered).map(({ version }) => ({ version, hold: null }));
  return { key, versions: offered, latest: latestAllowed(offered, about) };
}
