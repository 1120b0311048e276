import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { attesterOf } from '../../../src/cli/check/attester.ts';
import { type OptionDefinition, REQUESTED_KINDS } from '../../../src/cli/define/command.ts';
import { COMMANDS } from '../../../src/cli/commands/index.ts';
import { openStore } from '../../../src/cli/config/open-store.ts';
import { requireNodeForNetwork } from '../../../src/cli/process/network-use.ts';
import { parse } from '../../../src/cli/program/program.ts';
import { openHttpClient } from '../../../src/observe/http/client.ts';
import { contextIn } from '../author-support.ts';

/** Which command lines are refused on another runtime; test/platforms/runtimes.test.ts runs them there. */

const { versions } = process;
const setVersions = (value: object): object => Object.defineProperty(process, 'versions', { value });
beforeEach(() => void setVersions({ ...versions, bun: '9.8.7' }));
afterEach(() => void setVersions(versions));

/** The message that refuses a command line; null for none. */
function refusalOf(line: string): string | null {
  const parsed = parse(line.split(' '));
  if (parsed === null || 'error' in parsed) throw new Error(`not a command line: ${line}`);
  const { command, options, args } = parsed;
  try {
    requireNodeForNetwork({ definition: command.definition, options: { ...options }, args });
    return null;
  } catch (error) {
    expect(error).toMatchObject({ code: 'runtime-unsupported', exit: 2 });
    expect(error).toHaveProperty('hint', expect.stringMatching(/^Run the command with Node\.js 20\.19 or later/));
    return error instanceof Error ? error.message : null;
  }
}

const URL = 'https://apps.example.com/registry.json';

test.each([
  `verify ${URL}`,
  `mirror ${URL} copy --base-url https://b.example/`,
  `subscribe ${URL} --service https://s.example --name a`,
  'service',
  'service backup a.gz',
  'service restore a.gz',
  'conformance host https://a.example/',
  'conformance subscriber --command ./a',
])('%s uses the network', (line) => {
  expect(refusalOf(line)).toMatch(/^appreg [a-z ]+, which uses the network, is not supported on Bun 9\.8\.7/);
});

test('these are all commands that always use it', () => {
  const always = COMMANDS.filter(({ definition }) => definition.network === 'always');
  expect(always.map(({ definition }) => definition.name)).toEqual([
    'verify',
    'mirror',
    'subscribe',
    'service',
    'service backup',
    'service restore',
    'conformance host',
    'conformance subscriber',
  ]);
});

test.each([
  [`lint --against ${URL}`, `lint --against HEAD`],
  [`assemble --check --against ${URL}`, 'assemble --check --against .'],
  [`release --check --against ${URL}`, 'release --check --against origin/main'],
  [`release --bump --against=${URL}`, 'release --bump'],
  [`checksum a.tar.gz ${URL}`, 'checksum a.tar.gz b.tar.gz'],
  [`diff ${URL}`, 'diff HEAD'],
  [`diff . ${URL}`, 'diff . saved.json'],
  [`lock ${URL}`, 'lock'],
  [`site site --from ${URL}`, 'site site --from saved.json --base-url https://b.example/'],
  [`policy test p.json ${URL}`, 'policy test p.json .'],
  [`diagnose ${URL}`, 'diagnose facts.json'],
  ['diagnose facts.json --service https://s.example', 'diagnose facts.json --app a'],
  [`publish-version a 1.0.0 --no-read-back --artifact-url ${URL}`, 'publish-version a 1.0.0 --no-read-back --entry a'],
])('%s requests a URL, and %s does not', (remote, local) => {
  expect(refusalOf(remote)).toMatch(/^appreg [a-z -]+ with the URL https:\S+ is not supported on Bun 9\.8\.7/);
  expect(refusalOf(local)).toBeNull();
});

test('no other value that can be a URL is requested', () => {
  const others = COMMANDS.filter(({ definition }) => definition.network !== 'always').flatMap(({ definition }) => [
    ...definition.arguments.map(({ usage, value }) => [usage, value] as const),
    ...Object.values<OptionDefinition>(definition.options).map(
      (option) => [option.flags, 'value' in option ? option.value : ''] as const,
    ),
  ]);
  const kinds: readonly unknown[] = REQUESTED_KINDS;
  const local = others.filter(([usage, value]) => usage.includes('url') && !kinds.includes(value));
  expect(new Set(local.map(([usage]) => usage))).toEqual(
    new Set([
      '--base-url <url>',
      '--endpoint <url>',
      '--homepage <url>',
      '--icon <file|url>',
      '--issuer <url>',
      '--metadata-url <url>',
      '--remote <name|url>',
      '--repository <url>',
      '--source <url>',
      '--support <url>',
    ]),
  );
});

test.each([
  ['publish-version a 1.0.0 --entry a', ' or use --no-read-back or --dry-run.'],
  ['release', 'or use --check, --bump or --dry-run.'],
])('%s requests what it has published', (line, advice) => {
  expect(refusalOf(line)).toContain('which requests the artifact from its public URL, is not supported on Bun 9.8.7');
  const parsed = parse(line.split(' '));
  if (parsed === null || 'error' in parsed) throw new Error('not a command line');
  const given = { definition: parsed.command.definition, options: { ...parsed.options }, args: parsed.args };
  expect(() => requireNodeForNetwork(given)).toThrow(
    expect.objectContaining({ hint: expect.stringContaining(advice) }),
  );
});

test.each([
  'publish-version a 1.0.0 --entry a --dry-run',
  'release --dry-run',
  'bundle a.ts a.tar.gz',
  'judge facts.json',
  'attestation a.tar.gz --repository https://github.com/a/b',
  'init --base-url https://b.example/',
  'add-app a --icon https://icons.example/a.svg --metadata-url https://b.example/a.json',
  'rules',
  'serve',
])('%s uses local files', (line) => {
  expect(refusalOf(line)).toBeNull();
});

describe('what is opened later', () => {
  const context = contextIn('.');

  test('requests', () => {
    expect(() => openHttpClient()).toThrow('Requesting a URL is not supported on Bun 9.8.7');
  });

  test.each([
    [{ type: 'git' } as const, 'A registry in a git branch'],
    [{ type: 's3', bucket: 'apps' } as const, 'A bucket as a store'],
  ])('the store %o', async (store, task) => {
    await expect(openStore(context, store, '.')).rejects.toThrow(`${task} is not supported on Bun 9.8.7`);
  });

  test('the service that signs', async () => {
    const loaded = await context.config();
    await expect(attesterOf(context, loaded, { attest: true })).rejects.toThrow('is not supported on Bun 9.8.7');
  });
});

test('nothing is refused on Node.js', () => {
  setVersions(versions);
  expect(refusalOf(`verify ${URL}`)).toBeNull();
  expect(refusalOf('release')).toBeNull();
});
