import { describe, expect, test } from 'vitest';
import { diagnose } from '../../src/core/engine/diagnosis.ts';
import type { Snapshot, HttpViews } from '../../src/core/facts/facts.ts';
import { render } from '../../src/report/index.ts';
import { PLAIN } from '../../src/report/style.ts';
import { artifact, contentWith, entry, metadataWith, snapshot, withArtifacts } from '../support/snapshots.ts';
import { hop, probe, web } from '../support/probes.ts';

type Show = { verbose?: boolean; format?: 'pretty' | 'markdown' | 'json' };

function show(facts: Snapshot, { verbose = false, format = 'pretty' }: Show = {}): string {
  const { report, diagnosis } = diagnose(facts, {});
  return render(report, format, { style: PLAIN, verbose, diagnosis });
}

/** The snapshot with a response that has these headers. */
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
])('the text of a clear symptom for %s is: %s', (target, words) => {
  const headers = { 'access-control-allow-origin': '*', 'last-modified': 'Sun, 01 Mar 2026 10:00:00 GMT' };
  expect(show({ ...withResponseHeaders(snapshot(['a']), headers), target })).toContain(words);
});

describe('causes', () => {
  test('the same cause in many apps is printed once with the count and some names', () => {
    const text = show(snapshot(keys(40), all(keys(40), metadataWith('v1'))));
    expect(text).toContain(
      '“v1” is not a semantic version, so no valid version is left. (40 times in 40 apps: app-0, app-1, app-10, …) version-not-',
    );
    expect(text.match(/version-not-semver$/gm)).toHaveLength(1);
    expect(text.split('\n').length).toBeLessThan(50);
  });

  test('a cause that occurs several times in one app is printed once with the count', () => {
    expect(show(snapshot(['a'], { a: metadataWith('v1', 'v2', '1.0.0') }))).toContain(
      '(2 times in a) version-not-semver',
    );
  });

  test('a cause with a remedy of its own in each app is printed with all remedies', () => {
    const digests = ['A', 'B'].map((digit) => `${digit.repeat(32)}${'C1'.repeat(16)}`);
    const listed = digests.map((digest) => ({ ...entry('1.0.0'), artifactChecksum: `sha256:${digest}` }));
    const facts = snapshot(['a', 'b'], { a: { versions: [listed[0]] }, b: { versions: [listed[1]] } });
    const next = /next {2}(.*)\n +(b: .*)/.exec(show(facts));
    expect(next?.[1]).toBe(`a: Write it as "sha256:${digests[0]?.toLowerCase()}".`);
    expect(next?.[2]).toBe(`b: Write it as "sha256:${digests[1]?.toLowerCase()}".`);
    expect(show(facts, { format: 'markdown' })).toMatch(/next: differs by app:\n {4}- a: .*\n {4}- b: /);
  });

  test('errors come before warnings, three causes are printed, and the others are counted', () => {
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
    expect(many).toContain('Other findings\n');
    expect(many).toMatch(/… and \d+ more causes?; --verbose lists them all\./);
  });

  test('errors and warnings without a symptom are printed in a section of their own', () => {
    const text = show(snapshot({ apps: { a: entry('a', { blockStyle: { iconUrl: 'x', color: 'red' } }) } }));
    expect(text).toContain('\nOther findings\n  ✗ The color “red” is not of the form #RRGGBB.');
    expect(show(snapshot({ apps: {} }))).not.toContain('Other findings');
    expect(show(snapshot({ apps: {} }), { verbose: true })).toContain(
      'Other findings\n  · The registry lists no apps.',
    );
  });
});

describe('one fault is one finding', () => {
  const facts = snapshot(['a', 'b'], { a: metadataWith('v1', 'v2'), b: metadataWith('v1', '1.0.0') });

  test('the section of an app without a valid version lists its invalid versions', () => {
    const text = show(facts);
    expect(text).not.toContain('no-valid-versions\n');
    expect(text).toContain('“v1” is not a semantic version, so no valid version is left. (2 times in a) version-not-');
    expect(text).toMatch(
      /^ {4}next {2}a v1: Write it as "1\.0\.0"\.\n {10}a v2: “v2” is not a semantic version\. Write it as "2\.0\.0"\.$/m,
    );
    expect(text).toMatch(/^ {4}also {2}line \d+, column \d+ \(\/versions\/1\/version\) · version v2$/m);
    expect(text).toContain('“v1” is not a semantic version. (b v1) version-not-semver');
  });

  test('numerous other positions are listed only with --verbose', () => {
    const many = snapshot(['a'], { a: metadataWith(...keys(30, 'v')) });
    expect(show(many)).not.toContain('also');
    expect(show(many, { verbose: true }).match(/^ {4}also /gm)).toHaveLength(21);
    expect(show(many, { verbose: true })).toContain('… and 9 more; --format json lists them all.');
  });

  test('confirmed symptoms are explained before suspected ones, and the summary lines follow the order of the specification', () => {
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
  test('is the cause, and the last section does not claim that no cause is known', () => {
    const text = show(withResponseHeaders(snapshot(['a'], { a: metadataWith() }), {}));
    expect(text).toContain('App does not appear: confirmed');
    expect(text).toContain('The confirmed causes are above; no other cause is known. What to check next');
  });

  test('is the cause in addition to a suspicion', () => {
    const text = show(withResponseHeaders(snapshot(['a'], { a: metadataWith() }), { 'cache-control': 'max-age=7200' }));
    expect(text).toContain(
      'The confirmed causes and 1 suspected one are above; no other cause is known. What to check next',
    );
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

  test('are listed with the option that clarifies them', () => {
    const text = show(refused([]));
    expect(text).toContain(
      '1 suspected cause above: run again with --origin <the service’s origin> to confirm or exclude it',
    );
    expect(text).not.toContain('→ Browsers');
    expect(text).not.toContain('No cause is known');
  });

  test('are only counted if --origin cannot clarify them', () => {
    const text = show(withResponseHeaders(snapshot(['a']), { 'cache-control': 'max-age=7200' }));
    expect(text).toContain('1 suspected cause above; no other cause is known.');
  });
});

describe('an old copy', () => {
  const old = { age: '900000', 'cache-control': 'public, max-age=31536000', 'x-cache': 'HIT' };

  test('leaves dependent symptoms not judged, and its age is printed in days', () => {
    const text = show(withResponseHeaders(snapshot(['a']), old));
    expect(text).toMatch(/App does not appear: not judged \(what was published in the last 10 days/);
    expect(text).toContain('the copy received here is 10 days old: it may lack what was published since.');
    expect(text).not.toContain('900000');
    expect(text).not.toContain('365 days ago');
  });

  test('is mentioned in findings about missing entries', () => {
    const text = show({
      ...withResponseHeaders(snapshot(['a']), old),
      apps: [],
      requested: { apps: ['mail'], version: null },
    });
    expect(text).toContain(
      'This is a cached copy, 10 days old: it may lack what was published since. (mail) app-not-listed',
    );
    expect(text).toContain('· 1 app listed · 1 error, 1 warning');
  });
});

describe('the section about apps', () => {
  test('lists hidden apps one by one before the number of visible apps', () => {
    const text = show(withArtifacts(snapshot([...keys(8), 'z z'], { 'app-3': metadataWith('v1') })));
    expect(section(text, 'Apps')).toBe(
      [
        '  app-3: hidden, because of no-valid-versions: The only listed version is not valid.',
        '  z z: hidden, because of app-key-unsafe: The app key “z z” is not URL-safe.',
        '  7 visible apps',
      ].join('\n'),
    );
    expect(section(show(withArtifacts(snapshot(keys(8))), { verbose: true }), 'Apps').split('\n')).toHaveLength(8);
  });

  test('lists apps that are hidden for the same reason in one line', () => {
    const text = show(snapshot(keys(40), all(keys(40), metadataWith('v1'))));
    expect(section(text, 'Apps')).toBe('  40 apps hidden, because of no-valid-versions: app-0, app-1, app-10, …');
  });

  test('lists apps without a version one by one, and many of them in one line', () => {
    const few = snapshot(['a'], { a: { versions: [] } });
    expect(section(show(few), 'Apps')).toBe('  a: hidden, because no version is published yet');
    const many = show(snapshot([...keys(40), 'z'], { ...all(keys(40), { versions: [] }), z: metadataWith('v1') }));
    expect(section(many, 'Apps').split('\n')).toContain(
      '  40 apps hidden, because no version is published yet: app-0, app-1, app-10, …',
    );
  });

  test('lists an app of unknown visibility', () => {
    const text = show(snapshot(['a'], { a: { missing: { code: 'blocked-by', rule: 'unreachable' } } }));
    expect(section(text, 'Apps')).toBe('  a: not known, because it could not be checked');
  });

  test('counts an app that its entry hides under the symptom of hidden apps', () => {
    const text = show(snapshot({ apps: { a: { ...entry('a'), name: 1 } } }));
    expect(text).toContain('\nApp does not appear\n  1 app hidden by problems listed under other symptoms.');
  });
});

describe('the age of the observed copies', () => {
  test.each<[string, Record<string, string>, RegExp]>([
    ['five minutes', {}, /store the manifest for 5 min, so a change made less than 65 min ago/],
    ['an hour', { 'cache-control': 'max-age=3600' }, /for 1 hour, so a change made less than 2 hours ago/],
    ['revalidation for each request', { 'cache-control': 'no-cache' }, /hourly, so a change made less than 1 hour ago/],
    ['no lifetime', { 'cache-control': '' }, /the manifest has no lifetime, so caches guess one/],
    ['a copy', { age: '100' }, /the manifest received here was a cached copy, 100 s old/],
  ])('is explained: %s', (_, headers, words) => {
    const facts = { ...withResponseHeaders(snapshot(['a']), headers), requested: { apps: ['b'], version: null } };
    expect(show(facts)).toMatch(words);
  });

  test('is not mentioned without a response', () => {
    expect(show({ ...snapshot(['a']), requested: { apps: ['b'], version: null } })).not.toContain('every hour');
  });
});

describe('what was not checked', () => {
  test('leaves no symptom clear offline, and the reason is printed', () => {
    const text = show(snapshot(['a']));
    expect(text).not.toContain(': clear');
    expect(text).toContain('Registry does not refresh: not judged (needs the network)');
    expect(text).toContain('Not checked:\n  needs the network (');
  });

  test('is called incomplete for an interrupted run, without a list of next steps', () => {
    const text = show({ ...snapshot(['a']), incomplete: 'interrupted after 1 app' });
    expect(text.split('\n').at(-1)).toMatch(/· incomplete: 0 errors, 0 warnings so far$/);
    expect(text).not.toContain('What to check next');
  });
});

describe('hostile text', () => {
  const nasty = 'a\u001b[2J\n## x | <b> `` [l](https://x.test) @me \u202e';
  const facts = snapshot({ apps: { [nasty]: entry('a', { blockStyle: { iconUrl: nasty, color: nasty } }) } });

  test.each(['pretty', 'markdown'] as const)('does not move the cursor or start a line in the format %s', (format) => {
    for (const verbose of [false, true]) {
      const text = show(facts, { format, verbose });
      // eslint-disable-next-line no-control-regex
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
      expect(text).not.toMatch(/^## x/m);
    }
  });

  test('appears only as code in Markdown', () => {
    const text = show(facts, { format: 'markdown' });
    const bare = text.replaceAll(/(`+)(?!`).*?(?<!`)\1(?!`)/g, '');
    expect(bare).not.toMatch(/<b>|\]\(|@me/);
  });
});

test('Markdown contains full digests, and JSON is the format of every report', () => {
  const facts = snapshot(['a'], {
    a: { versions: [{ ...metadataWith('1.0.0').versions[0], artifactChecksum: `SHA256:${'a'.repeat(64)}` }] },
  });
  expect(seenLine(show(facts))).not.toContain('a'.repeat(64));
  expect(show(facts, { format: 'markdown' }).split('<summary>Evidence</summary>')[1]).toContain('a'.repeat(64));
  expect(JSON.parse(show(facts, { format: 'json' }))).toMatchObject({ command: 'diagnose' });
});

test('a rule that is off but has a finding leaves its symptom not judged', () => {
  const facts = snapshot(['a']);
  const other = { bytes: 3, sha256: 'f'.repeat(64), sha1: '', md5: '', head: '', cut: false, decoded: null };
  facts.apps[0]!.artifacts = [artifact(null, other)];
  const { report, diagnosis } = diagnose(facts, { severities: { 'artifact-checksum-mismatch': 'off' } });
  expect(report.summary.artifacts).toBe(1);
  const text = render(report, 'pretty', { style: PLAIN, verbose: false, diagnosis });
  expect(text).toContain(
    'Checksum mismatch: not judged (artifact-checksum-mismatch: the settings turn this rule off, but it found an error',
  );
  expect(text).not.toContain('with a matching checksum');
});

describe('an app that is visible although something is wrong', () => {
  test('a faulty artifact is not called verified', () => {
    const facts = withArtifacts(snapshot(['a'], { a: metadataWith('1.0.0', '2.0.0') }));
    facts.apps[0]!.artifacts[1] = artifact(null, contentWith('f'.repeat(64)));
    const { report, diagnosis } = diagnose(facts, {});
    // As with a host that answers every request.
    const symptoms = report.symptoms.map((symptom) =>
      symptom.id === 'app-does-not-appear' ? { ...symptom, status: 'clear' as const } : symptom,
    );
    const text = render({ ...report, symptoms }, 'pretty', { style: PLAIN, verbose: false, diagnosis });
    expect(text).toContain('the artifact of one of each app verified, at least');
    expect(text).not.toContain('and their artifacts verified');
  });

  test('a suspected cause is named beside the app', () => {
    const text = show(withArtifacts(snapshot(['a', 'b'], { a: metadataWith('v1', '1.0.0') })));
    expect(section(text, 'Apps')).toContain(
      'a: visible, latest 1.0.0; a suspected cause above may hide it from other subscribers',
    );
    expect(section(text, 'Apps')).toMatch(/b: visible, latest \S+$/m);
  });
});
