import { holdText, previewOf } from '../core/policy/preview.ts';
import type { PolicyTest } from '../core/policy/observed-registry.ts';
import { message, type SafeText } from '../core/text/message.ts';
import { counted, safeExcerpt } from '../core/text/text.ts';
import type { PolicyTestResult } from './results.ts';
import type { Style } from './style.ts';

/** Offers of a registry under a policy: as JSON, and for people. */

/** Apps listed, and versions of each. */
const MAX_APPS = 100;
const MAX_VERSIONS = 20;

/** The JSON document of `policy test`. */
export function policyResult(
  { before, after, aboutUnknown }: PolicyTest,
  { policy, registry, now }: { policy: string; registry: string; now: Date },
): PolicyTestResult {
  const latest = new Map(before.map((app) => [app.key, app.latest]));
  const preview = previewOf(before, after);
  return {
    policy,
    registry,
    now: now.toISOString(),
    hidesEverything: preview.hidesEverything,
    hiddenApps: preview.hiddenApps,
    apps: after.map((app) => ({
      key: app.key,
      latest: { before: latest.get(app.key) ?? null, after: app.latest },
      offered: app.versions.flatMap(({ version, hold }) => (hold === null ? version : [])),
      held: app.versions.flatMap(({ version, hold }) =>
        hold === null
          ? []
          : {
              version,
              cause: hold.cause,
              line: hold.line,
              pointer: hold.pointer,
              message: holdText(hold),
              offeredAt: hold.offeredAt?.toISOString() ?? null,
            },
      ),
    })),
    aboutUnknown,
  };
}

/** For a terminal. */
export function policyTestAsText(result: PolicyTestResult, style: Style): string {
  const lines = result.apps.slice(0, MAX_APPS).flatMap((app) => appLines(app, style));
  const rest = result.apps.length - MAX_APPS;
  if (rest > 0) lines.push(style.dim(`… and ${counted(rest, 'more app')}; --format json lists them all.`));
  return [...lines, policyTestHeadline(result)].join('\n');
}

type TestedApp = PolicyTestResult['apps'][number];

function appLines({ key, latest, offered, held }: TestedApp, style: Style): string[] {
  const held20 = held.slice(0, MAX_VERSIONS).map(({ version, message: reason }) => {
    return `    ${style.yellow(safeExcerpt(version))}  ${reason}`;
  });
  const rest = held.length - held20.length;
  return [
    `${style.bold(safeExcerpt(key))}: ${counts(offered.length, held.length)}${latestText(latest)}`,
    ...held20,
    ...(rest > 0 ? [style.dim(`    … and ${counted(rest, 'more version')}`)] : []),
  ];
}

function counts(offered: number, held: number): string {
  if (offered + held === 0) return 'no version to offer';
  return held === 0
    ? `${counted(offered, 'version')} offered`
    : `${offered} of ${counted(offered + held, 'version')} offered`;
}

function latestText({ before, after }: TestedApp['latest']): string {
  if (before === null) return '';
  if (after === null) return `; hidden (latest ${safeExcerpt(before)} without the policy)`;
  const latest = `; latest ${safeExcerpt(after)}`;
  return before === after ? latest : `${latest} (${safeExcerpt(before)} without the policy)`;
}

/** All apps in one line. */
export function policyTestHeadline({ apps, hiddenApps }: PolicyTestResult): SafeText {
  const offered = apps.reduce((sum, app) => sum + app.offered.length, 0);
  const held = apps.reduce((sum, app) => sum + app.held.length, 0);
  const hidden = hiddenApps.length === 0 ? '' : `, ${counted(hiddenApps.length, 'app')} hidden`;
  return message`${counted(apps.length, 'app')}: ${counts(offered, held)}${hidden}`;
}
