import type { ArtifactFacts, ContentScan } from '../../../../src/core/facts/facts.ts';
import { artifactSecret } from '../../../../src/core/rules/artifacts/artifact-secret.ts';
import { web as servedBy } from '../../../support/probes.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const LOCAL: ArtifactFacts['web'] = { missing: { code: 'offline' }, runWide: true };
const MISSING = { missing: { code: 'not-requested', flag: null } } as const;

const factsWith = (
  secrets: ContentScan['secrets'],
  {
    web = LOCAL,
    more = 0,
    isPublishing = false,
  }: { web?: ArtifactFacts['web']; more?: number; isPublishing?: boolean } = {},
): { facts: ArtifactFacts; scan: ContentScan; isPublishing: boolean } => ({
  facts: { url: null, file: 'a.tar.gz', web, content: MISSING, archive: MISSING },
  scan: { secrets, secretCount: secrets.length + more, buildPaths: [] },
  isPublishing,
});
const secret = (kind: string, entry: string, line: number): ContentScan['secrets'][number] => ({
  kind,
  entry,
  line,
  fingerprint: `${line}`.padStart(16, '0'),
});
ruleTable(artifactSecret, {
  clean: [
    ['no secret', factsWith([])],
    [
      'paths of the build machine, which another rule reports',
      {
        ...factsWith([]),
        scan: { secrets: [], secretCount: 0, buildPaths: [{ entry: 'app.js', line: 1, folder: '/home/kim' }] },
      },
    ],
  ],
  faulty: [
    [
      'secrets in an artifact whose scan was stopped',
      {
        ...factsWith([secret('github-token', 'app.js', 1)]),
        scan: { secrets: [secret('github-token', 'app.js', 1)], secretCount: 1000, buildPaths: [], stopped: 'secrets' },
      },
      { message: 'The artifact contains at least 1000 secrets: github-token in app.js:1' },
    ],
    [
      'a token in a local file',
      factsWith([secret('github-token', 'app.js', 7)]),
      {
        message: 'a secret: github-token in app.js:7 (fingerprint 0000000000000007).',
        advice:
          '--allow-secret <fingerprint> with the command that publishes, or an exception in the configuration with "secret"',
        evidence: { kind: 'github-token', entry: 'app.js', line: 7, fingerprint: '0000000000000007' },
      },
    ],
    [
      'a token in the name of a file',
      factsWith([secret('github-token', 'REDACTED.txt', 0)]),
      { message: 'a secret: github-token in the name of REDACTED.txt (fingerprint' },
    ],
    [
      'one that came with a package',
      factsWith([{ ...secret('private-key', 'app.js', 7), source: 'node_modules/@acme/sdk/lib/keys.js' }]),
      {
        message:
          'private-key in app.js:7 (package @acme/sdk, node_modules/@acme/sdk/lib/keys.js; fingerprint 0000000000000007).',
        advice:
          'All who install the package have it, so that it protects nothing of yours. If it is a sample, or a key for tests, use --allow-secret',
        evidence: { source: 'node_modules/@acme/sdk/lib/keys.js', package: '@acme/sdk' },
      },
    ],
    [
      'one in the file of a package',
      factsWith([secret('private-key', 'lib/node_modules/sdk/keys.js', 7)]),
      { message: 'in lib/node_modules/sdk/keys.js:7 (package sdk; fingerprint', evidence: { package: 'sdk' } },
    ],
    [
      'one that came with a package, and is served already',
      factsWith([{ ...secret('npm-token', 'app.js', 7), source: 'node_modules/sdk/a.js' }], { web: servedBy() }),
      {
        severity: 'warning',
        advice:
          'All who install the package have it. If it is a sample, or a key for tests, no action is needed; otherwise report it',
      },
    ],
    [
      'one of a package, and one of the app',
      factsWith([
        { ...secret('npm-token', 'app.js', 1), source: 'node_modules/sdk/a.js' },
        { ...secret('npm-token', 'app.js', 2), source: 'main.ts' },
      ]),
      { message: 'npm-token in app.js:2 (main.ts; fingerprint', advice: 'Revoke those that were published' },
    ],
    [
      'one that is about to be published',
      factsWith([secret('npm-token', 'app.js', 7)], { isPublishing: true }),
      { advice: 'Remove it, and' },
    ],
    [
      'what is served already',
      factsWith([secret('private-key', 'lib/key.pem', 1)], { web: servedBy() }),
      { message: 'private-key in lib/key.pem:1', advice: 'Revoke the secret at the service', severity: 'warning' },
    ],
    [
      'several that are served already',
      factsWith([secret('npm-token', 'a.js', 1), secret('npm-token', 'b.js', 1)], { web: servedBy() }),
      { advice: 'Revoke the secrets at the services that issued them', severity: 'warning' },
    ],
    [
      'more than are listed, after the listed ones were allowed',
      factsWith([], { more: 2, isPublishing: true }),
      {
        message: 'contains 2 secrets in addition to those that were listed and allowed.',
        advice: 'turn the rule off for this run: --rule artifact-secret=off',
        evidence: { secrets: 2, others: [], fingerprints: [] },
      },
    ],
    [
      'several, of which one finding names the first',
      factsWith(
        [1, 2, 3, 4, 5].map((line) => secret('env-file', '.env', line)),
        { more: 2 },
      ),
      {
        message: 'contains 7 secrets: env-file in .env:1',
        advice: 'Remove them, and let the app read them',
        evidence: {
          kind: 'env-file',
          entry: '.env',
          line: 1,
          fingerprint: '0000000000000001',
          secrets: 7,
          others: [2, 3, 4, 5].map((line) => `env-file in .env:${line} (fingerprint ${`${line}`.padStart(16, '0')})`),
          fingerprints: [1, 2, 3, 4, 5].map((line) => `${line}`.padStart(16, '0')),
        },
      },
    ],
  ],
});
