import { expect, test } from 'vitest';
import { openLog } from '../src/log.ts';
import { startService } from '../src/start.ts';
import { settingsFor } from './refresh/refresh-harness.ts';

/** URLs of official registries that the other settings do not allow: no organization could subscribe to them. */

test.each([
  ['CORE_REGISTRY_URL', 'coreRegistryUrl', 'http://apps.example.com/registry.json', 'The URL is not https.'],
  [
    'COMMUNITY_REGISTRY_URL',
    'communityRegistryUrl',
    'https://apps.example.com:8443/r.json',
    'The URL has the port 8443.',
  ],
])('a service with %s that its settings refuse does not start', async (name, setting, url, fault) => {
  const settings = settingsFor('postgres://127.0.0.1:1/none', { [setting]: url });
  const log = openLog(() => {});
  await expect(startService(settings, log)).rejects.toMatchObject({
    code: 'setting-invalid',
    message: expect.stringContaining(`${name} “${url}” cannot be used: ${fault}`),
    hint: `Change the URL, or start the service with --allow-host ${new URL(url).host}.`,
  });
});
