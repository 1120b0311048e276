import { describe, expect, test } from 'vitest';
import { type ServiceFlags, resolveSettings } from '../../src/config/resolve-settings.ts';
import { errorOf } from '../../../test/support/folders.ts';

const PLACE = { cwd: '/somewhere', ca: null, machineCa: null, trustedRoot: null };
const SECRET = 'a-token-of-the-operator';
const from = (flags: ServiceFlags, env: Record<string, string> = {}) => resolveSettings(flags, env, PLACE);

describe('settings', () => {
  test('default to both roles on the loopback address, hourly checks and open sign-up', () => {
    expect(from({}, { XDG_DATA_HOME: '/home/me/data' })).toMatchObject({
      databaseUrl: null,
      host: '127.0.0.1',
      port: 8090,
      publicUrl: null,
      roles: ['web', 'worker'],
      coreRegistryUrl: null,
      allowHosts: [],
      allowHttp: false,
      operatorToken: null,
      openSignUp: true,
      interval: 3_600_000,
    });
  });

  test('from flags take precedence over the environment', () => {
    const env = { HOST: '0.0.0.0', PORT: '80' };
    expect(from({}, env)).toMatchObject({ host: '0.0.0.0', port: 80 });
    expect(from({ host: '::1', port: 0 }, env)).toMatchObject({ host: '::1', port: 0 });
  });

  test.each<[string, ServiceFlags, Record<string, string>, boolean]>([
    ['the loopback address', {}, {}, true],
    ['the loopback address by name', { host: 'localhost' }, {}, true],
    ['another address', { host: '0.0.0.0' }, {}, false],
    ['an operator token', {}, { OPERATOR_TOKEN: SECRET }, false],
    ['a flag', { host: '0.0.0.0', openSignUp: true }, { OPERATOR_TOKEN: SECRET }, true],
  ])('determine whether sign-up is open: %s', (_, flags, env, open) => {
    expect(from(flags, env).openSignUp).toBe(open);
  });

  test('normalize hosts as URLs do', () => {
    expect(
      from({ allowHost: ['LocalHost', '10.0.0.1', '::1', '[fd00::1]:8080', 'bücher.example:80'] }).allowHosts,
    ).toEqual(['localhost', '10.0.0.1', '[::1]', '[fd00::1]:8080', 'xn--bcher-kva.example:80']);
  });

  test('add a slash to the public URL', () => {
    expect(from({}, { PUBLIC_URL: 'https://flows.example.com/apps' }).publicUrl).toBe(
      'https://flows.example.com/apps/',
    );
  });

  test.each([
    ['PUBLIC_URL', 'https://x/?a', ' without a query and a fragment', 'https://flows.example.com/'],
    ['PUBLIC_URL', 'https://x/#a', ' without a query and a fragment', 'https://flows.example.com/'],
    ['CORE_REGISTRY_URL', 'registry.json', '', 'https://apps.example.com/registry.json'],
  ])('refuse %s=%s with what is wrong with it', (name, url, condition, example) => {
    expect(errorOf(() => from({}, { [name]: url }))).toMatchObject({
      message: `${name}: “${url}” is not an http(s) URL${condition}.`,
      hint: `Give a full URL, such as ${example}.`,
    });
  });

  test.each<[string, ServiceFlags, Record<string, string>]>([
    ['host with a user', { allowHost: ['me@localhost'] }, {}],
    ['URL for a host', { allowHost: ['http://localhost'] }, {}],
    ['host with a wildcard path', { allowHost: ['localhost/*'] }, {}],
    ['host with a wildcard', { allowHost: ['*.internal'] }, {}],
    ['port of a host', { allowHost: ['localhost:65536'] }, {}],
    ['number of registries at once', { concurrency: 1.5 }, {}],
    ['number of registries at once that is too large', { concurrency: 1e300 }, {}],
    ['interval', { interval: 1e15 }, {}],
    ['public URL with a password', {}, { PUBLIC_URL: 'https://me:hunter2@flows.example.com/' }],
    ['registry URL with a password', {}, { CORE_REGISTRY_URL: 'https://me:hunter2@apps.example.com/registry.json' }],
    ['port', {}, { PORT: '65536' }],
    ['port that is not a number', {}, { PORT: 'tcp://10.0.0.1:80' }],
    ['operator token', {}, { OPERATOR_TOKEN: 'short' }],
    ['operator token with spaces', {}, { OPERATOR_TOKEN: 'hunter2 and some more words' }],
    ['operator token beyond ASCII', {}, { OPERATOR_TOKEN: 'hunter2-und-ein-Schlüssel' }],
    ['operator token that is too long', {}, { OPERATOR_TOKEN: 'hunter2'.repeat(100) }],
    ['database', {}, { DATABASE_URL: 'mysql://root:hunter2@localhost/x' }],
    ['registry', {}, { CORE_REGISTRY_URL: 'registry.json' }],
    ['public URL', {}, { PUBLIC_URL: 'https://flows.example.com/?token=hunter2' }],
  ])('refuse an invalid %s with a hint and without secrets', (_, flags, env) => {
    const error = errorOf(() => from(flags, env));
    expect(error).toMatchObject({ code: 'setting-invalid' });
    expect(`${error.message} ${error.hint}`).not.toContain('hunter2');
  });
});
