import type { AppFacts } from '../../core/facts/facts.ts';
import type { FactsPart } from '../../core/facts/part.ts';
import { isCountedFinding, type Finding, type Report } from '../../core/findings/report.ts';
import { counted, printable, printableExcerpt } from '../../core/text/text.ts';
import { isSemver } from '../../core/registry/version.ts';
import type { WebOptions } from '../../observe/registry/options.ts';
import { listedVersionsIn, manifestAppsIn, versionFields } from '../../core/registry/manifest.ts';

/** The goal of `verify --wait`, compared with one observation. */

export interface WaitGoal {
  /** Keys of --app; null for the whole registry. */
  apps: readonly string[] | null;
  /** As passed to --versions, for messages. */
  named: string;
  versions: WebOptions['versions'];
}

/** Records what is listed during one observation. */
export interface GoalProgress {
  add(part: FactsPart): void;
  /** Apps and versions that are not listed yet, and therefore have no findings. */
  unlisted(): string[];
  /** Everything still missing: what is not listed, and what does not verify. */
  missing(report: Report): string[];
}

export function trackGoal(goal: WaitGoal): GoalProgress {
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
      const name = printableExcerpt(key, 80);
      if (!seen.has(key)) return [`${name} is not in the manifest`];
      // Unreadable metadata is a finding.
      const list = versions.get(key);
      return list?.size === 0 ? [`${name}: ${one} is listed`] : [];
    });
  }

  function addApp({ key, metadata }: AppFacts): void {
    seen.add(key);
    const items = listedVersionsIn(metadata.content);
    if (items === null) return;
    const listed = items.map((item) => versionFields(item).version).filter((version) => version !== null);
    versions.set(key, new Set(listed.filter((version) => isSemver(version) && takes(version))));
  }

  return {
    add(part) {
      if (part.kind === 'manifest') isManifest = manifestAppsIn(part.facts.content) !== null;
      else if (part.kind === 'app') addApp(part.facts);
    },
    unlisted,
    missing(report) {
      const errors = report.findings.filter((f) => f.severity === 'error' && isCountedFinding(f) && isInTheWay(f));
      const gone = unlisted();
      // The rules that would report this may be disabled.
      if (errors.length === 0 && !isManifest) gone.push('the manifest cannot be read');
      for (const key of goal.apps ?? [])
        if (errors.length === 0 && seen.has(key) && !versions.has(key))
          gone.push(`${printableExcerpt(key, 80)}: its metadata file cannot be read`);
      const rest = errors.length - MAX_ERRORS;
      return [
        ...gone,
        ...errors.slice(0, MAX_ERRORS).map(describeError),
        ...(rest > 0 ? [counted(rest, 'more error')] : []),
      ];
    },
  };

  /** For an app that is waited for, an error that prevents installing the version; otherwise any error. */
  function isInTheWay({ app, version, resource }: Finding): boolean {
    if (goal.apps === null) return true;
    if (app === null) return resource === 'manifest';
    const isWanted = version === null || versions.get(app)?.has(version) === true;
    return goal.apps.includes(app) && resource !== 'icon' && isWanted;
  }
}

// Maximum number of errors reported individually.
const MAX_ERRORS = 3;

function describeError({ app, version, resource, rule }: Finding): string {
  const what = [app ?? resource, version].filter((word) => word !== null).map((word) => printableExcerpt(word, 80));
  return `${what.join(' ')}: ${rule}`;
}
