import type { AppFacts, DocumentFacts } from '../../core/facts/facts.ts';
import { isMissing } from '../../core/facts/facts.ts';
import { isObject, member, parseDocument, stringOrNull } from '../../core/json/json.ts';
import type { Finding, Report } from '../../core/engine/report.ts';
import { printable, shorten } from '../../core/text/text.ts';
import { isSemver } from '../../core/registry/version.ts';
import type { WebOptions } from '../../observe/registry/observe.ts';

/** What `verify --wait` waits for, held against one look. */

export interface WaitGoal {
  /** Keys of --app; null for the whole registry. */
  apps: readonly string[] | null;
  /** As given to --versions, for messages. */
  named: string;
  versions: WebOptions['versions'];
}

/** One look, as it goes by: notes what is listed. */
export interface GoalWatch {
  manifest(facts: DocumentFacts): void;
  app(facts: AppFacts): void;
  /** What is not listed yet, so that no finding can tell of it. */
  unlisted(): string[];
  /** All that is still missing: what is not listed, and what does not verify. */
  missing(report: Report): string[];
}

export function watchGoal(goal: WaitGoal): GoalWatch {
  let isManifest = false;
  const seen = new Set<string>();
  const versions = new Map<string, Set<string>>();
  const takes = typeof goal.versions === 'function' ? goal.versions : () => true;

  function unlisted(): string[] {
    if (!isManifest) return [];
    const one =
      goal.named === 'all' || goal.named === 'latest' ? 'no valid version' : `no version ${printable(goal.named)}`;
    if (goal.apps === null) {
      const some = typeof goal.versions !== 'function' || [...versions.values()].some((list) => list.size > 0);
      return some ? [] : [`${one} is listed`];
    }
    return goal.apps.flatMap((key) => {
      const name = shorten(printable(key), 80);
      if (!seen.has(key)) return [`${name} is not in the manifest`];
      // Metadata that cannot be read is a finding.
      const list = versions.get(key);
      return list?.size === 0 ? [`${name}: ${one} is listed`] : [];
    });
  }

  return {
    manifest({ content }) {
      isManifest = !isMissing(content) && isObject(member(parseDocument(content).value, 'apps'));
    },
    app({ key, metadata }) {
      seen.add(key);
      const list = isMissing(metadata.content) ? undefined : member(parseDocument(metadata.content).value, 'versions');
      if (!Array.isArray(list)) return;
      const listed = list.map((item) => stringOrNull(member(item, 'version')));
      versions.set(
        key,
        new Set(listed.filter((version) => version !== null && isSemver(version) && takes(version)) as string[]),
      );
    },
    unlisted,
    missing(report) {
      const errors = report.findings.filter((finding) => finding.severity === 'error' && isInTheWay(finding));
      const gone = unlisted();
      // Rules that would tell of it may be turned off.
      if (errors.length === 0 && !isManifest) gone.push('the manifest cannot be read');
      for (const key of goal.apps ?? [])
        if (errors.length === 0 && seen.has(key) && !versions.has(key))
          gone.push(`${shorten(printable(key), 80)}: its metadata file cannot be read`);
      const rest = errors.length - NAMED;
      return [...gone, ...errors.slice(0, NAMED).map(inWords), ...(rest > 0 ? [`${rest} more errors`] : [])];
    },
  };

  /** Of an app that is waited for, what keeps a version from being installed; else every error. */
  function isInTheWay({ app, version, resource }: Finding): boolean {
    if (goal.apps === null) return true;
    if (app === null) return resource === 'manifest';
    const isWanted = version === null || versions.get(app)?.has(version) === true;
    return goal.apps.includes(app) && resource !== 'icon' && isWanted;
  }
}

// So many errors are told one by one.
const NAMED = 3;

function inWords({ app, version, resource, rule }: Finding): string {
  const what = [app ?? resource, version].filter((word) => word !== null).map((word) => shorten(printable(word), 80));
  return `${what.join(' ')}: ${rule}`;
}
