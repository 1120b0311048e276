import { expect, test } from 'vitest';
import { documentContent } from '../../../src/core/json/json.ts';
import type { PolicyDocument } from '../../../src/core/policy/policy-document.ts';
import { NO_POLICY, policyIn, policyOf, policyViolations } from '../../../src/core/policy/policy.ts';

function content(text: string): Parameters<typeof policyIn>[0] {
  return documentContent(new TextEncoder().encode(text));
}

const FULL: PolicyDocument = {
  schema: 1,
  allow: ['clock', 'acme-*'],
  deny: ['clock@<1.2.0'],
  pin: { clock: '^1.2' },
  minimumAge: '3d',
  minimumAgeExclude: ['acme-*'],
  minimumAgeStrict: false,
  minimumAgeExcludeSecurityFixes: true,
  requireAttestation: ['*'],
  allowDeprecated: ['superseded'],
};

test('a policy with all fields', () => {
  expect(policyViolations(FULL)).toEqual([]);
  const policy = policyOf(FULL);
  expect(policy.minimumAge).toEqual({ text: '3d', milliseconds: 259_200_000 });
  expect(policy.deny).toMatchObject([{ text: 'clock@<1.2.0', key: 'clock', range: { text: '<1.2.0' } }]);
  expect(policy).toMatchObject({ minimumAgeStrict: false, minimumAgeExcludeSecurityFixes: true });
  expect(policyOf({ schema: 1, minimumAge: '72h' }).minimumAge?.milliseconds).toBe(policy.minimumAge?.milliseconds);
});

test('an empty policy holds nothing back, and is strict', () => {
  expect(policyOf({ schema: 1 })).toEqual(NO_POLICY);
  expect(NO_POLICY).toMatchObject({ allow: null, deny: [], minimumAge: null, allowDeprecated: null });
  expect(NO_POLICY.minimumAgeStrict).toBe(true);
});

test.each<[string, object | string, string, string]>([
  ['no object', 'clock', '', 'The policy must be an object, not “clock”.'],
  ['no schema', {}, '', '“schema” is missing.'],
  ['another schema', { schema: 2 }, '/schema', '“schema” must be 1, not 2.'],
  ['an unknown field', { schema: 1, denny: [] }, '/denny', 'Unknown field “denny”. Did you mean deny?'],
  [
    'an empty allow',
    { schema: 1, allow: [] },
    '/allow',
    '“allow” must be a list of at least 1 value, not an empty list.',
  ],
  [
    'a selector of another form',
    { schema: 1, deny: ['clock', 'a/b'] },
    '/deny/1',
    '“deny[1]” must be an app key such as "clock", a pattern such as "acme-*", or one with a range such as "clock@<1.2.0", not “a/b”.',
  ],
  [
    'a selector without a range',
    { schema: 1, deny: ['clock@latest'] },
    '/deny/0',
    '“latest” in “deny[0]” is not a version range, such as "1.2.0", "^1.2" or "<2.0.0-0".',
  ],
  [
    'a pin that is not a range',
    { schema: 1, pin: { clock: 'newest' } },
    '/pin/clock',
    '“newest” in “pin.clock” is not a version range, such as "1.2.0", "^1.2" or "<2.0.0-0".',
  ],
  [
    'a pin of a pattern',
    { schema: 1, pin: { 'acme-*': '1.x' } },
    '/pin/acme-*',
    'The name “acme-*” in “pin” must be an app key: letters, digits, hyphens and underscores.',
  ],
  [
    'an age in words',
    { schema: 1, minimumAge: '3 days' },
    '/minimumAge',
    '“minimumAge” must be hours or days, such as "72h" or "3d", not “3 days”.',
  ],
  ['a number as age', { schema: 1, minimumAge: 3 }, '/minimumAge', '“minimumAge” must be text, not 3.'],
  [
    'an unknown reason',
    { schema: 1, allowDeprecated: ['old'] },
    '/allowDeprecated/0',
    '“allowDeprecated[0]” must be security, broken, superseded, unmaintained or legal, not “old”.',
  ],
])('%s is refused', (_, value, pointer, message) => {
  expect(policyViolations(value)).toMatchObject([{ pointer, message }]);
});

test('what is not a range is named together with what the schema refuses', () => {
  const value = {
    schema: 1,
    denny: [],
    allow: ['clock@', 'clock@latest', 7],
    deny: 'clock',
    pin: { 'a/b': 'x', clock: 'newest', mail: 3 },
    requireAttestation: ['mail@1.2.3.4'],
  };
  expect(policyViolations(value).map(({ pointer }) => pointer)).toEqual([
    '/denny',
    '/allow/0',
    '/allow/2',
    '/deny',
    '/pin/a~1b',
    '/pin/mail',
    '/allow/1',
    '/requireAttestation/0',
    '/pin/clock',
  ]);
  for (const wrong of [null, [], 'clock', 1]) expect(policyViolations(wrong)).toHaveLength(1);
});

test('a file is refused with all faults, each at its place', () => {
  expect(policyIn(content(JSON.stringify(FULL)), 'policy.json')).toMatchObject({ minimumAgeStrict: false });
  const broken = '{\n  "schema": 1,\n  "denny": [],\n  "minimumAge": "soon"\n}\n';
  expect(() => policyIn(content(broken), 'policy.json')).toThrow(
    expect.objectContaining({
      code: 'policy-invalid',
      exit: 2,
      message: expect.stringMatching(
        /policy\.json has 2 errors:\n {2}policy\.json:3:3: .*denny.*\n {2}policy\.json:4:17: /,
      ),
    }),
  );
  expect(() => policyIn(content('{ "schema": 1, "deny": [], "deny": ["clock"] }'), 'policy.json')).toThrow(
    /occurs twice/,
  );
  expect(() => policyIn(content('deny: clock'), 'policy.json')).toThrow(/policy\.json:1:1: /);
});

test('a document that was not checked is not used in part', () => {
  expect(() => policyOf({ schema: 1, deny: ['clock@latest'] })).toThrow(TypeError);
  expect(() => policyOf({ schema: 1, pin: { clock: 'latest' } })).toThrow(TypeError);
});
