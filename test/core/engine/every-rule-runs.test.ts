import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { judge } from '../../../src/core/engine/judge.ts';
import type { Missing, Snapshot } from '../../../src/core/facts/facts.ts';
import { checksum } from '../../support/core-facts.ts';
import { artifact, BASE, entry, icon, snapshot } from '../../support/snapshots.ts';
import { addTraps, APP_KEYS, LAST_APP, LAST_VERSION, sprung, TRAP_IDS, TRAPS } from '../../support/trap-rules.ts';

/** No ordinary registry is judged without the rules, whatever is said of it: a rule that was added is run on all of it. */

let removeTraps: () => void;
beforeAll(() => {
  removeTraps = addTraps();
});
afterAll(() => removeTraps());

function versionOf(key: string, i: number, version = '1.0.0'): object {
  return {
    version,
    artifactUrl: `${BASE}apps/${key}/versions/${version}.tar.gz`,
    artifactChecksum: checksum(i + 1),
  };
}

const NOT_REQUESTED: Missing = { missing: { code: 'not-requested', flag: '--skip-artifacts' }, runWide: true };

/**
 * Four apps without a fault.
 * @param content of their artifacts
 */
function ordinary(content?: Missing): Snapshot {
  const apps = Object.fromEntries(APP_KEYS.map((key) => [key, entry(key, { name: key })]));
  const metadata = Object.fromEntries(
    APP_KEYS.map((key, i) => [
      key,
      { versions: [versionOf(key, i), ...(key === LAST_APP ? [versionOf(key, 10, LAST_VERSION)] : [])] },
    ]),
  );
  const facts = snapshot({ apps }, metadata);
  for (const app of facts.apps) {
    app.icon = icon(`${BASE}apps/${app.key}/icon.svg`);
    app.artifacts = app.artifacts.map(() => artifact(`${BASE}apps/${app.key}/versions/1.0.0.tar.gz`, content));
  }
  return facts;
}

describe('a rule that was added has its finding about the last of four apps', () => {
  test.each(['lint', 'verify'] as const)('%s', (command) => {
    expect(sprung(judge(ordinary(), { command }).findings)).toEqual(TRAP_IDS);
  });

  test('without artifacts', () => {
    expect(sprung(judge(ordinary(NOT_REQUESTED), { command: 'verify' }).findings)).toEqual(TRAP_IDS);
  });

  test('with a baseline', () => {
    const baseline = { source: 'origin/main', keys: APP_KEYS, app: () => [] };
    expect(sprung(judge(ordinary(), { command: 'lint', baseline }).findings)).toEqual(TRAP_IDS);
  });

  test('with exceptions, and with apps that were requested by name', () => {
    const requested = { apps: [LAST_APP], version: null };
    const exceptions = { entries: [], file: null } as never;
    expect(sprung(judge(ordinary(), { command: 'lint', requested, exceptions }).findings)).toEqual(TRAP_IDS);
  });
});

test('a rule about the value of a document gets all of it, from the first one on', () => {
  const { findings } = judge(ordinary(), { command: 'lint' });
  const about = findings.filter(({ rule }) => rule === TRAPS.document.id).map(({ file }) => file);
  expect(about).toEqual(['registry.json', `apps/${LAST_APP}/versions.json`]);
});
