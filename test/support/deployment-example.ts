import { NOW } from './core-facts.ts';

const isIn = (list: readonly { version: string }[], version: string) => list.some((one) => one.version === version);

/** Facts about a deployment from the lines of an example: `stored in …: <app> <version>, since …`, `serves <app> <version>`. */
export function deploymentFacts(text: string): Record<string, unknown> {
  const [, source = ''] = /^stored in (\S+):/m.exec(text) ?? [];
  const stored = [...text.matchAll(/^stored in \S+: (\S+) (\S+), since the commit of (\S+)$/gm)].map(
    ([, app = '', version = '', at = '']) => ({ app, version, since: { at, by: 'commit' } }),
  );
  const served = [...text.matchAll(/^serves (\S+) (\S+)$/gm)].map(([, app = '', version = '']) => ({ app, version }));
  return {
    source,
    isRequested: true,
    unserved: stored.filter(({ version }) => !isIn(served, version)).map(({ version, since }) => ({ version, since })),
    isAppServed: true,
    latest: served.at(-1)?.version ?? null,
    deadline: 300,
    unstored: served.filter(({ version }) => !isIn(stored, version)),
    now: NOW,
  };
}
