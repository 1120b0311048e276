import { describe, expect, test } from 'vitest';
import { diagnose } from '../../src/core/engine/diagnosis.ts';
import type { Snapshot, HttpViews } from '../../src/core/facts/facts.ts';
import { render } from '../../src/report/index.ts';
import { PLAIN } from '../../src/report/style.ts';
import { artifact, entry, metadataWith, snapshot } from '../support/snapshots.ts';
import { hop, probe, web } from '../support/probes.ts';

type Show = { verbose?: boolean; format?: 'pretty' | 'markdown' | 'json' };

function show(facts: Snapshot, { verbose = false, format = 'pretty' }: Show = {}): string {
  const { report, diagnosis } = diagnose(facts, {});
  return render(report, format, { style: PLAIN, verbose, diagnosis });
}

/** As if its host had answered so. */
function withResponseHeaders(facts: Snapshot, headers: Record<string, string>): Snapshot {
  const sameForAll = { 'content-type': 'application/json', 'cache-control': 'max-age=300', etag: '"1"', ...headers };
  facts.manifest.web = web(probe(hop(sameForAll)));
  facts.manifest.url = 'https://apps.example.com/registry.json';
  return facts;
}

const keys = (count: number, name = 'app'): string[] => Array.from({ length: count }, (_, i) => `${name}-${i}`);
const all = <T>(names: readonly string[], value: T): Record<string, T> =>
  Object.fromEntries(names.map((name) => [name, value]));
const seenLine = (text: string): string => /seen:? .*/.exec(text.slice(text.indexOf('checksum-malformed')))![0];
const section = (text: string, title: string): string => text.split(`\n${title}\n`)[1]?.split('\n\n')[0] ?? '';

test.each([
  ['http://127.0.0.1:8080/registry.json', 'the manifest is reachable, valid'],
  ['https://apps.example.com/registry.json', 'the manifest is reachable over HTTPS, valid'],
])('a clear symptom of %s: %s', (target, words) => {
  const headers = { 'access-control-allow-origin': '*', 'last-modified': 'Sun, 01 Mar 2026 10:00:00 GMT' };
  expect(show({ ...withResponseHeaders(snapshot(['a']), headers), target })).toContain(words);
});

describe('causes', () => {
  test('the same cause over many apps is told once, with the count and some names', () => {
    const text = show(snapshot(keys(40), all(keys(40), metadataWith('v1'))));
    expect(text).toContain(
      '“v1” is not a semantic version, so no valid version is left. (40 times in 40 apps: app-0, app-1, app-10, …) version-not-',
    );
    expect(text.match(/version-not-semver$/gm)).toHaveLength(1);
    expect(text.split('\n').length).toBeLessThan(50);
  });

  test('several times in one app', () => {
    expect(show(snapshot(['a'], { a: metadataWith('v1', 'v2', '1.0.0') }))).toContain(
      '(2 times in a) version-not-semver',
    );
  });

  test('errors come before warnings, three causes are told, and the rest is counted', () => {
    const facts = snapshot(['a'], {
      a: {
        versions: metadataWith('v1', '1.0', '1.0.0-rc.1', '1.0.0', '1.0.0').versions.map((v) => ({ ...v, extra: 1 })),
      },
    });
    const marks = [
      ...show(facts)
        .split('\nApp does not appear\n')[1]!
        .matchAll(/^ {2}([✗!])/gm),
    ].map((match) => match[1]);
    expect(marks.join('')).toMatch(/^✗+!*$/);
    const many = show(
      snapshot({
        apps: {
          a: entry('a', { blockStyle: { iconUrl: 'x', color: '#12' }, appMetadataUrl: 'x' }),
          b: entry('b', { name: '', description: '', appMetadataUrl: 'http://apps.example.com/b' }),
          c: { name: 1 },
          d: entry('d', { name: 'a\u0007b' }),
          D: entry('D', { nane: 1 }),
        },
      }),
    );
    expect(many).toContain('Besides\n');
    expect(many).toMatch(/… and \d+ more causes?; --verbose lists them\./);
  });

  test('what belongs to no symptom is told, when it is an error or a warning', () => {
    const text = show(snapshot({ apps: { a: entry('a', { blockStyle: { iconUrl: 'x', color: 'red' } }) } }));
    expect(text).toContain('\nBesides\n  ✗ The color “red” is not of the form #RRGGBB.');
    expect(show(snapshot({ apps: {} }))).not.toContain('Besides');
    expect(show(snapshot({ apps: {} }), { verbose: true })).toContain('Besides\n  · The registry lists no apps.');
  });
});

describe('one fault, one finding', () => {
  const facts = snapshot(['a', 'b'], { a: metadataWith('v1', 'v2'), b: metadataWith('v1', '1.0.0') });

  test('an app that has no valid version left is told with the versions, which are all listed', () => {
    const text = show(facts);
    expect(text).not.toContain('no-valid-versions\n');
    expect(text).toContain('“v1” is not a semantic version, so no valid version is left. (2 times in a) version-not-');
    expect(text).toMatch(
      /^ {4}also {2}line \d+, column \d+ \(\/versions\/1\/version\) · version v2: Write it as "2\.0\.0"\.$/m,
    );
    expect(text).toContain('“v1” is not a semantic version. (b v1) version-not-semver');
  });

  test('many other places are listed with --verbose alone', () => {
    const many = snapshot(['a'], { a: metadataWith(...keys(30, 'v')) });
    expect(show(many)).not.toContain('also');
    expect(show(many, { verbose: true }).match(/^ {4}also /gm)).toHaveLength(21);
    expect(show(many, { verbose: true })).toContain('… and 9 more; --format json has them.');
  });

  test('the certain stands before the suspected, under one line for each symptom in the order of the specification', () => {
    const text = show(withResponseHeaders(facts, { 'cache-control': 'max-age=7200' }));
    expect(text.match(/^[A-Z][^\n:]*: (clear|suspected|confirmed|not judged)/gm)!.slice(0, 4)).toEqual([
      'Registry does not refresh: suspected',
      'Checksum mismatch: not judged',
      'Icon does not display: not judged',
      'App does not appear: confirmed',
    ]);
    expect(text.indexOf('\nApp does not appear\n')).toBeLessThan(text.indexOf('\nRegistry does not refresh\n'));
  });
});

describe('an app without a version', () => {
  test('is the cause, and the last section does not say that nothing is known', () => {
    const text = show(withResponseHeaders(snapshot(['a'], { a: metadataWith() }), {}));
    expect(text).toContain('App does not appear: confirmed');
    expect(text).toContain('What is confirmed is above; no other cause is known. What to check next');
  });

  test('is the cause beside a suspicion', () => {
    const text = show(withResponseHeaders(snapshot(['a'], { a: metadataWith() }), { 'cache-control': 'max-age=7200' }));
    expect(text).toContain('What is confirmed is above, and 1 suspicion; no other cause is known. What to check next');
  });
});

describe('suspicions', () => {
  const origin = 'https://flows.example.com';
  const refused = (origins: string[]): Snapshot => {
    const facts = withResponseHeaders(snapshot(['a']), {});
    const from = origins[0] ?? 'https://appreg-probe.invalid';
    const answer = hop({ 'access-control-allow-origin': origin, 'content-type': 'application/json' });
    facts.manifest.web = web((facts.manifest.web as HttpViews).server, { browser: [probe(answer, { origin: from })] });
    return { ...facts, origins };
  };

  test('say how they are settled', () => {
    const text = show(refused([]));
    expect(text).toContain('1 suspicion above; run again with --origin <the service’s origin> to clarify it');
    expect(text).not.toContain('→ Browsers');
    expect(text).not.toContain('No cause is known');
  });

  test('that an origin cannot settle', () => {
    const text = show(withResponseHeaders(snapshot(['a']), { 'cache-control': 'max-age=7200' }));
    expect(text).toContain('1 suspicion above; no other cause is known.');
  });
});

describe('an old copy', () => {
  const old = { age: '900000', 'cache-control': 'public, max-age=31536000', 'x-cache': 'HIT' };

  test('leaves nothing clear that depends on it, and its age is told in days', () => {
    const text = show(withResponseHeaders(snapshot(['a']), old));
    expect(text).toMatch(/App does not appear: not judged \(what was published in the last 10 days/);
    expect(text).toContain('the copy seen here is 10 days old: it lacks everything published since.');
    expect(text).not.toContain('900000');
    expect(text).not.toContain('365 days ago');
  });

  test('is said where something is not in it', () => {
    const text = show({
      ...withResponseHeaders(snapshot(['a']), old),
      apps: [],
      requested: { apps: ['mail'], version: null },
    });
    expect(text).toContain(
      'This is a cached copy, 10 days old: it lacks everything published since. (mail) app-not-listed',
    );
    expect(text).toContain('· 1 app listed · 1 error, 1 warning');
  });
});

describe('apps', () => {
  test('hidden ones first, one by one; visible ones as a count', () => {
    const text = show(snapshot([...keys(8), 'z z'], { 'app-3': metadataWith('v1') }));
    expect(section(text, 'Apps')).toBe(
      [
        '  app-3: hidden, because of no-valid-versions: The only listed version is not valid.',
        '  z z: hidden, because of app-key-unsafe: The app key “z z” is not URL-safe.',
        '  7 visible apps',
      ].join('\n'),
    );
    expect(section(show(snapshot(keys(8)), { verbose: true }), 'Apps').split('\n')).toHaveLength(8);
  });

  test('many hidden for one reason are one line', () => {
    const text = show(snapshot(keys(40), all(keys(40), metadataWith('v1'))));
    expect(section(text, 'Apps')).toBe('  40 apps hidden, because of no-valid-versions: app-0, app-1, app-10, …');
  });

  test('those without a version yet, one by one and many', () => {
    const few = snapshot(['a'], { a: { versions: [] } });
    expect(section(show(few), 'Apps')).toBe('  a: hidden, because no version is published yet');
    const many = show(snapshot([...keys(40), 'z'], { ...all(keys(40), { versions: [] }), z: metadataWith('v1') }));
    expect(section(many, 'Apps').split('\n')).toContain(
      '  40 apps hidden, because no version is published yet: app-0, app-1, app-10, …',
    );
  });

  test('those that nobody knows of', () => {
    const text = show(snapshot(['a'], { a: { missing: { code: 'blocked-by', rule: 'unreachable' } } }));
    expect(section(text, 'Apps')).toBe('  a: not known, because it could not be checked');
  });

  test('an app that its entry hides is told under its symptom as well', () => {
    const text = show(snapshot({ apps: { a: { ...entry('a'), name: 1 } } }));
    expect(text).toContain('\nApp does not appear\n  1 app hidden by problems listed under other symptoms.');
  });
});

describe('how old what was seen may be', () => {
  test.each<[string, Record<string, string>, RegExp]>([
    ['five minutes', {}, /store the manifest for 5 min, so a change made less than 65 min ago/],
    ['an hour', { 'cache-control': 'max-age=3600' }, /for 1 hour, so a change made less than 2 hours ago/],
    ['asked each time', { 'cache-control': 'no-cache' }, /hourly, so a change made less than 1 hour ago/],
    ['nothing told', { 'cache-control': '' }, /for the manifest no lifetime is set, so caches guess one/],
    ['a copy', { age: '100' }, /the manifest seen here was a copy of 100 s/],
  ])('%s', (_, headers, words) => {
    const facts = { ...withResponseHeaders(snapshot(['a']), headers), asked: { apps: ['b'], version: null } };
    expect(show(facts)).toMatch(words);
  });

  test('nobody knows', () => {
    expect(show({ ...snapshot(['a']), requested: { apps: ['b'], version: null } })).not.toContain('every hour');
  });
});

describe('what nobody looked at', () => {
  test('offline, no symptom is called clear, and the reason is told', () => {
    const text = show(snapshot(['a']));
    expect(text).not.toContain(': clear');
    expect(text).toContain('Registry does not refresh: not judged (needs the network)');
    expect(text).toContain('Not checked:\n  needs the network (');
  });

  test('an incomplete run is called so, and hints at nothing', () => {
    const text = show({ ...snapshot(['a']), incomplete: 'interrupted after 1 app' });
    expect(text.split('\n').at(-1)).toMatch(/· incomplete: 0 errors, 0 warnings so far$/);
    expect(text).not.toContain('What to check next');
  });
});

describe('hostile text', () => {
  const nasty = 'a\u001b[2J\n## x | <b> `` [l](https://x.test) @me \u202e';
  const facts = snapshot({ apps: { [nasty]: entry('a', { blockStyle: { iconUrl: nasty, color: nasty } }) } });

  test.each(['pretty', 'markdown'] as const)('%s: nothing moves the cursor or begins a line', (format) => {
    for (const verbose of [false, true]) {
      const text = show(facts, { format, verbose });
      // eslint-disable-next-line no-control-regex
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
      expect(text).not.toMatch(/^## x/m);
    }
  });

  test('Markdown: what is no word stands as code', () => {
    const text = show(facts, { format: 'markdown' });
    const bare = text.replaceAll(/(`+)(?!`).*?(?<!`)\1(?!`)/g, '');
    expect(bare).not.toMatch(/<b>|\]\(|@me/);
  });
});

test('Markdown writes digests out, and the other formats are those of every report', () => {
  const facts = snapshot(['a'], {
    a: { versions: [{ ...metadataWith('1.0.0').versions[0], artifactChecksum: `SHA256:${'a'.repeat(64)}` }] },
  });
  expect(seenLine(show(facts))).not.toContain('a'.repeat(64));
  expect(seenLine(show(facts, { format: 'markdown' }))).toContain('a'.repeat(64));
  expect(JSON.parse(show(facts, { format: 'json' }))).toMatchObject({ command: 'diagnose' });
});

test('a rule that is off and would report an error is named, and nothing is called right', () => {
  const facts = snapshot(['a']);
  const other = { bytes: 3, sha256: 'f'.repeat(64), sha1: '', md5: '', head: '', cut: false, decoded: null };
  facts.apps[0]!.artifacts = [artifact(null, other)];
  const { report, diagnosis } = diagnose(facts, { severities: { 'artifact-checksum-mismatch': 'off' } });
  expect(report.summary.artifacts).toBe(1);
  const text = render(report, 'pretty', { style: PLAIN, verbose: false, diagnosis });
  expect(text).toContain(
    'Checksum mismatch: not judged (artifact-checksum-mismatch: this rule is turned off in the settings, but it has a finding',
  );
  expect(text).not.toContain('with the right checksum');
});
