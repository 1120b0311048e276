// Scenario: real servers run all cases of the kit.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nginxServer } from '../../src/author/host-nginx.ts';
import { fixtureFiles, writeFixtures } from '../../conformance/src/host/fixtures.ts';
import { startServer as serveFolder } from '../../src/serve/server.ts';
import { expectRow, failuresOf, reportOfHost } from '../support/conformance-table.ts';
import { certificates } from '../support/fault-certificates.ts';
import { folder, write } from '../support/folders.ts';
import { freePort } from '../support/free-port.ts';
import { listening, type Program, programOf, startServer } from '../support/web-server.ts';
import { apache, GOOD as APACHE_GOOD } from './apache-frame.ts';
import { nginx, onThisMachine } from './nginx-frame.ts';

/**
 * What real web servers do in the cases of the conformance kit: the table in docs/vendors/stores.md. That of an object store is
 * in bucket-presets.test.ts.
 */

const preset = nginxServer({
  baseUrl: 'https://127.0.0.1/',
  manifest: 'registry.json',
  serviceOrigins: [],
  store: { type: 'directory' },
});

test('appreg serve passes all judged cases, and two runs have the same results', async () => {
  const root = folder();
  await writeFixtures(root);
  const { key, cert } = certificates().get('good');
  const serving = await serveFolder({
    root,
    manifest: 'registry.json',
    host: '127.0.0.1',
    port: 0,
    serviceOrigins: [],
    rewriteFrom: null,
    https: { key, cert },
  });
  try {
    const report = await reportOfHost({ url: serving.url });
    expect(failuresOf(report)).toEqual([]);
    expect(await reportOfHost({ url: serving.manifestUrl })).toEqual(report);
    expectRow('`appreg serve --https`', report);
  } finally {
    await serving.close(0);
  }
});

function putFixtures(root: string): void {
  write(root, Object.fromEntries(fixtureFiles()));
  // Apache reads the files as another user.
  chmodSync(root, 0o755);
}

describe.each<{ program: Program; host: string; text: string }>([
  { program: 'nginx', host: 'nginx, with the preset', text: onThisMachine(preset) },
  { program: 'nginx', host: 'nginx, without settings', text: nginx({ name: '', server: '' }) },
  { program: 'apache2', host: 'Apache, with settings', text: apache({ name: '', server: APACHE_GOOD }) },
  { program: 'apache2', host: 'Apache, without settings', text: apache({ name: '', server: '' }) },
])('$host', ({ program, host, text }) => {
  const missing = programOf(program) === null;
  test.skipIf(missing && !process.env['CI'])(
    `has the row of docs/vendors/stores.md${missing ? ' (skipped)' : ''}`,
    async () => {
      const server = await startServer(program, text, putFixtures);
      try {
        expectRow(host, await reportOfHost({ url: `${server.origin}/`, plainPort: server.secondPort }));
      } finally {
        await server.close();
      }
    },
  );
});

const CADDY_SETTINGS = `
	header Access-Control-Allow-Origin *
	header Access-Control-Allow-Methods "GET, HEAD, OPTIONS"
	header Access-Control-Allow-Headers "*, Authorization"
	@json path *.json
	header @json Cache-Control "public, max-age=300"
	@preflight method OPTIONS
	respond @preflight 204`;

describe.each([
  { host: 'Caddy, with settings', settings: CADDY_SETTINGS },
  { host: 'Caddy, without settings', settings: '' },
])('$host', ({ host, settings }) => {
  const missing = !existsSync('/usr/bin/caddy');
  test.skipIf(missing && !process.env['CI'])(
    `has the row of docs/vendors/stores.md${missing ? ' (skipped)' : ''}`,
    async () => {
      const [root, dir, port] = [folder(), folder(), await freePort()];
      await writeFixtures(root);
      const { key, cert } = certificates().get('good');
      writeFileSync(join(dir, 'key.pem'), key);
      writeFileSync(join(dir, 'cert.pem'), cert);
      const text = `{\n\tadmin off\n\tauto_https off\n\tstorage file_system ${dir}\n}
https://127.0.0.1:${port} {\n\tbind 127.0.0.1\n\ttls ${dir}/cert.pem ${dir}/key.pem\n\troot * ${root}${settings}\n\tfile_server\n}\n`;
      writeFileSync(join(dir, 'Caddyfile'), text);
      const env = { PATH: process.env['PATH'], HOME: dir, XDG_DATA_HOME: dir, XDG_CONFIG_HOME: dir };
      const args = ['run', '--adapter', 'caddyfile', '--config', join(dir, 'Caddyfile')];
      const caddy = spawn('caddy', args, { env, stdio: 'ignore' });
      const ended = new Promise((resolve) => caddy.once('exit', resolve));
      try {
        await listening(caddy, port);
        expectRow(host, await reportOfHost({ url: `https://127.0.0.1:${port}/` }));
      } finally {
        caddy.kill();
        await ended;
      }
    },
  );
});
