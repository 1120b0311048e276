import { urlOfOtherApp } from '../../../../src/core/rules/manifest/url-of-other-app.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const BASE = 'https://apps.example.com/';
const facts = (...list: [key: string, metadata: string | null, icon?: string][]) => ({
  keys: list.map(([key]) => key),
  metadataUrls: list.map(([, metadata]) => metadata && `${BASE}${metadata}`),
  iconUrls: list.map(([, , icon]) => (icon === undefined ? null : `${BASE}${icon}`)),
});

ruleTable(urlOfOtherApp, {
  clean: [
    ['own keys', facts(['echo', 'echo/versions.json', 'echo.svg'], ['clock', 'clock/versions.json', 'clock.svg'])],
    ['no keys', facts(['echo', '1.json'], ['clock', '2.json'])],
    [
      'a key that is the name of a folder',
      facts(['apps', 'apps/apps/versions.json'], ['clock', 'apps/c/versions.json']),
    ],
    ['a folder that is a key, whose own URL has it', facts(['echo', 'echo.json'], ['clock', 'echo/c.json'])],
    ['one file for both, which another rule reports', facts(['echo', 'echo.json'], ['clock', 'echo.json'])],
    ['an app without a URL', facts(['echo', null], ['clock', 'echo.json'])],
  ],
  faulty: [
    [
      'swapped metadata files',
      facts(['echo', 'clock/versions.json'], ['clock', 'echo/versions.json']),
      [
        { at: '/echo/appMetadataUrl', cause: 'metadata', message: 'the key of the app “clock”' },
        { at: '/clock/appMetadataUrl', cause: 'metadata', message: 'the key of the app “echo”' },
      ],
    ],
    [
      'swapped icons',
      facts(['echo', 'echo.json', 'icons/clock.svg'], ['clock', 'clock.json', 'icons/echo.svg']),
      [
        { at: '/echo/blockStyle/iconUrl', cause: 'icon', evidence: { otherApp: 'clock' } },
        { at: '/clock/blockStyle/iconUrl', cause: 'icon', evidence: { otherApp: 'echo' } },
      ],
    ],
    [
      'one that was moved over',
      facts(['echo', 'clock.json'], ['clock', '2.json']),
      { at: '/echo/appMetadataUrl', cause: 'metadata' },
    ],
  ],
});
