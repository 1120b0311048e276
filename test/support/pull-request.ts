import { archive, checksum } from './live-registry.ts';
import { commitAll, folder, git, write } from './folders.ts';

/** A registry in a git repository, with a pull request; and checkouts of it as CI systems make them. */

export const ONE = archive('export const app = 1;');
export const TWO = archive('export const app = 2;');

const ICON = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><circle cx="12" cy="12" r="10"/></svg>';

/** A registry with one app and these artifacts by version. */
export function registry(versions: Record<string, Uint8Array>, name = 'Clock'): Record<string, unknown> {
  const base = 'https://apps.example.com/';
  return {
    'appreg.config.json': { baseUrl: base },
    'registry.json': {
      apps: {
        clock: {
          name,
          description: 'Tells the time.',
          blockStyle: { iconUrl: `${base}apps/clock/icon.svg`, color: '#1864ab' },
          appMetadataUrl: `${base}apps/clock/versions.json`,
        },
      },
    },
    'apps/clock/icon.svg': ICON,
    'apps/clock/versions.json': {
      versions: Object.entries(versions).map(([version, bytes]) => ({
        version,
        artifactUrl: `${base}apps/clock/versions/${version}.tar.gz`,
        artifactChecksum: checksum(bytes),
      })),
    },
    ...Object.fromEntries(
      Object.entries(versions).map(([version, bytes]) => [`apps/clock/versions/${version}.tar.gz`, bytes]),
    ),
  };
}

export interface Pull {
  origin: string;
  /** pull_request of the event. */
  pull: { number: number; base: { sha: string }; head: { sha: string } };
  merge: string;
}

/** A repository with a pull request, merged into its base as GitHub does it to try it. */
export function pullRequest(before: Record<string, unknown>, after: Record<string, unknown>): Pull {
  const origin = folder(before);
  git(origin, 'init', '--quiet', '--initial-branch', 'main');
  const base = commitAll(origin, 'What is published');
  git(origin, 'checkout', '--quiet', '-b', 'change');
  write(origin, after);
  const head = commitAll(origin, 'A change');
  git(origin, 'checkout', '--quiet', '--detach', 'main');
  git(origin, 'merge', '--quiet', '--no-ff', '--message', 'Merge', 'change');
  const merge = git(origin, 'rev-parse', 'HEAD');
  git(origin, 'update-ref', 'refs/pull/1/merge', merge);
  git(origin, 'checkout', '--quiet', 'main');
  return { origin, pull: { number: 1, base: { sha: base }, head: { sha: head } }, merge };
}

/** As actions/checkout does it: one commit, or with depth 0 all of them. */
export function checkout(origin: string, commit: string, depth = 1): string {
  const workspace = folder();
  git(workspace, 'init', '--quiet');
  git(workspace, 'remote', 'add', 'origin', `file://${origin}`);
  git(workspace, 'fetch', '--quiet', '--no-tags', ...(depth === 0 ? [] : [`--depth=${depth}`]), 'origin', commit);
  git(workspace, 'checkout', '--quiet', '--detach', commit);
  return workspace;
}
