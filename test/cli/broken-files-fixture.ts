import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { SharedProcess } from '../support/shared-process.ts';

/** A registry with an app and all files that a command can read. */
export async function writeRegistry(root: string, appreg: SharedProcess): Promise<void> {
  const write = (path: string, content: string | Uint8Array): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  };
  const run = async (words: string, code = 0): Promise<void> => {
    const env = { PATH: process.env['PATH'], HOME: root };
    const done = await appreg.run(words.split(' '), { cwd: root, env });
    if (done.code !== code) throw new Error(`appreg ${words}: ${done.code}\n${done.stderr}${done.stdout}`);
  };
  write('src/main.js', "export const activate = () => console.log('active');\n");
  write('icon.svg', '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8"/></svg>\n');
  write('backup.gz', gzipSync('not a backup'));
  write('expected.json', '[]\n');
  write('policy.json', '{ "schema": 1, "minimumAge": "3d", "minimumAgeStrict": false }\n');
  write('proof.json', '{ "mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json" }\n');
  write('root.json', '{ "mediaType": "application/vnd.dev.sigstore.trustedroot+json;version=0.1" }\n');
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  write('acme.pub', publicKey.export({ format: 'pem', type: 'spki' }));
  await run('init . --base-url https://apps.example.com/ --service-origin https://service.example --yes');
  await run('add-app clock --name Clock --description Clock. --icon icon.svg --color #3b5bdb --yes');
  write('apps/clock/main.js', 'export const activate = () => {};\n');
  write('apps/clock/package.json', '{ "name": "clock", "version": "1.0.0" }\n');
  write(
    'apps/clock/app.json',
    '{ "name": "Clock", "description": "Clock.", "color": "#3b5bdb", "entry": "main.js" }\n',
  );
  await run('bundle apps/clock/main.js clock.tar.gz');
  await run('publish-version clock 1.0.0 --artifact clock.tar.gz --no-read-back');
  await run('lock');
  await run('lint --format json --output report.json');
  // The baseline of the folder also without its configuration, and of the URL.
  const report = JSON.parse(readFileSync(join(root, 'report.json'), 'utf8')) as { registries: string[] };
  report.registries.push('registry.json', 'http://127.0.0.1:1/registry.json');
  write('report.json', JSON.stringify(report));
  await run('verify http://127.0.0.1:1/registry.json --save facts.json', 1);
  cpSync(join(root, 'appreg.config.json'), join(root, 'other.json'));
  mkdirSync(join(root, 'data'));
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      '/dev/null',
      '-out',
      join(root, 'ca.pem'),
      '-subj',
      '/CN=a',
    ],
    { stdio: 'ignore' },
  );
}
