// Scenario: a Ceph cluster starts, which takes most of the time.
import { spawnSync } from 'node:child_process';
import { Ajv } from 'ajv';
import { AwsClient } from 'aws4fetch';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { s3Cors, PRESETS } from '../../src/author/host-files.ts';
import type { Hosted } from '../../src/author/host-guides.ts';
import { openS3 } from '../../src/store/s3/s3.ts';
import { fixtureFiles } from '../../conformance/src/host/fixtures.ts';
import { type Ceph, cephMissing, openCeph } from '../support/ceph.ts';
import { expectRow, reportOfHost } from '../support/conformance-table.ts';
import { folder } from '../support/folders.ts';
import { archive, checksum, faults, ORIGIN, SVG, verified } from '../support/live-registry.ts';
import { programOf, startServer, type WebServer } from '../support/web-server.ts';
import { nginx } from './nginx-frame.ts';
import { forAllResources } from './site.ts';

/** The files of `init --host s3`, `r2` and `gcs`, checked against the documentation and in a real object store. */

const QUOTED = `https://a"\${x}$(id)'.test`;
const hosted: Hosted = {
  baseUrl: 'https://apps.example.com/',
  manifest: 'registry.json',
  serviceOrigins: [],
  store: { type: 's3', bucket: 'registry' },
};

const texts = { type: 'array', minItems: 1, items: { type: 'string' } };
const methods = { type: 'array', minItems: 1, items: { enum: ['GET', 'PUT', 'POST', 'DELETE', 'HEAD'] } };
function object(required: string[], properties: object): object {
  return { type: 'object', required, properties, additionalProperties: false };
}
const FORMS = {
  s3: object(['CORSRules'], {
    CORSRules: {
      type: 'array',
      minItems: 1,
      maxItems: 100,
      items: object(['AllowedMethods', 'AllowedOrigins'], {
        ID: { type: 'string' },
        AllowedHeaders: texts,
        AllowedMethods: methods,
        AllowedOrigins: texts,
        ExposeHeaders: texts,
        MaxAgeSeconds: { type: 'integer' },
      }),
    },
  }),
  r2: object(['rules'], {
    rules: {
      type: 'array',
      minItems: 1,
      items: object(['allowed'], {
        id: { type: 'string' },
        allowed: object(['methods', 'origins'], { methods, origins: texts, headers: texts }),
        exposeHeaders: texts,
        maxAgeSeconds: { type: 'number', maximum: 86_400 },
      }),
    },
  }),
  gcs: {
    type: 'array',
    items: object(['origin', 'method'], {
      origin: texts,
      method: { type: 'array', items: { type: 'string' } },
      responseHeader: texts,
      maxAgeSeconds: { type: 'integer' },
    }),
  },
};

function escaped(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

function all(name: string, values: unknown[]): string {
  return values.map((value) => `<${name}>${escaped(String(value))}</${name}>`).join('');
}

describe.each(['s3', 'r2', 'gcs'] as const)('the preset for %s', (host) => {
  const files = (given: Partial<Hosted> = {}): Map<string, string> =>
    new Map(PRESETS[host].files({ ...hosted, ...given }).map(({ path, text }) => [path, text]));

  test.each([[[]], [[ORIGIN]], [[QUOTED, ORIGIN]]])(
    'writes CORS rules in the documented form: %j',
    (serviceOrigins) => {
      const text = files({ serviceOrigins }).get('host/cors.json')!;
      const validate = new Ajv({ strict: false }).compile(FORMS[host]);
      expect(validate(JSON.parse(text)), JSON.stringify(validate.errors)).toBe(true);
      for (const origin of serviceOrigins.length === 0 ? ['*'] : serviceOrigins)
        expect(text).toContain(JSON.stringify(origin));
    },
  );

  test('writes a guide with correctly quoted commands', () => {
    const guide = files({ serviceOrigins: [QUOTED] }).get('host/README.md')!;
    const blocks = [...guide.matchAll(/```sh\n([^]*?)```/g)].map(([, block]) => block!);
    expect(blocks.length).toBeGreaterThan(1);
    const seen = 'for name in aws npx gcloud appreg; do eval "$name() { printf \'%s\\n\' $name \\"\\$@\\"; }"; done\n';
    const { stdout, status, stderr } = spawnSync('bash', ['--norc', '-euc', seen + blocks.join('')], {
      cwd: folder(),
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain(`\nverify\nhttps://apps.example.com/registry.json\n--origin\n${QUOTED}\n`);
    for (const [, path] of guide.matchAll(/(host\/\w+\.json)/g)) expect(files().has(path!)).toBe(true);
  });
});

const missing = cephMissing() ?? (programOf('nginx') === null ? 'apt-get install nginx' : null);
describe.skipIf(missing !== null && !process.env['CI'])(
  `the CORS of s3 in a real object store${missing ? ` (skipped: ${missing})` : ''}`,
  () => {
    let ceph: Ceph;
    let server: WebServer;
    beforeAll(async () => {
      ceph = await openCeph();
      server = await startServer(
        'nginx',
        nginx({ name: '', server: `location / { proxy_pass ${ceph.endpoint}/${ceph.bucket}/; }` }),
        () => {},
      );
      const store = openS3(storeOptions());
      const artifact = archive('export const app = 1;');
      const app = `${server.origin}/apps/clock`;
      const entry = {
        name: 'Clock',
        description: 'Tells the time.',
        blockStyle: { iconUrl: `${app}/icon.svg`, color: '#1864ab' },
        appMetadataUrl: `${app}/versions.json`,
      };
      const version = {
        version: '1.0.0',
        artifactUrl: `${app}/versions/1.0.0.tar.gz`,
        artifactChecksum: checksum(artifact),
      };
      await store.create('apps/clock/versions/1.0.0.tar.gz', artifact);
      await store.create('apps/clock/icon.svg', Buffer.from(SVG));
      await store.create('apps/clock/versions.json', Buffer.from(JSON.stringify({ versions: [version] })));
      await store.create('registry.json', Buffer.from(JSON.stringify({ apps: { clock: entry } })));
    }, 60_000);
    afterAll(async () => {
      await server?.close();
      ceph?.close();
    });

    function storeOptions(): Parameters<typeof openS3>[0] {
      return { bucket: ceph.bucket, prefix: '', region: 'us-east-1', endpoint: ceph.endpoint, env: ceph.env };
    }

    /** What `aws s3api put-bucket-cors` makes of the file. */
    async function put(text: string): Promise<void> {
      const rules = JSON.parse(text).CORSRules.map(
        (rule: Record<string, unknown[]>) =>
          `<CORSRule>${all('AllowedOrigin', rule['AllowedOrigins']!)}${all('AllowedMethod', rule['AllowedMethods']!)}${all('AllowedHeader', rule['AllowedHeaders']!)}${all('MaxAgeSeconds', [rule['MaxAgeSeconds']])}${all('ExposeHeader', rule['ExposeHeaders']!)}</CORSRule>`,
      );
      const client = new AwsClient({
        accessKeyId: ceph.env['AWS_ACCESS_KEY_ID']!,
        secretAccessKey: ceph.env['AWS_SECRET_ACCESS_KEY']!,
        service: 's3',
        region: 'us-east-1',
      });
      const body = `<CORSConfiguration>${rules.join('')}</CORSConfiguration>`;
      const answer = await client.fetch(`${ceph.endpoint}/${ceph.bucket}?cors`, { method: 'PUT', body });
      expect(answer.status, await answer.text()).toBe(200);
    }

    async function found(origins: string[]): Promise<string[]> {
      return faults((await verified(`${server.origin}/registry.json`, { origins })).report).sort();
    }

    test('browsers cannot read the files without CORS rules', async () => {
      expect((await found([ORIGIN])).filter((one) => one.startsWith('error cors-missing')).length).toBe(3);
    });

    test.each<{ name: string; serviceOrigins: string[]; requested: string[] }>([
      { name: 'one origin', serviceOrigins: [ORIGIN], requested: [ORIGIN] },
      {
        name: 'several origins',
        serviceOrigins: ['https://other.test', ORIGIN],
        requested: [ORIGIN, 'https://other.test'],
      },
    ])(
      'with $name, the only finding is that object stores send Vary only with Origin',
      async ({ serviceOrigins, requested }) => {
        await put(s3Cors({ ...hosted, serviceOrigins }));
        expect(await found(requested)).toEqual(forAllResources('warning cors-not-varied vary-only-with-origin').sort());
      },
    );

    test('with any origin, the only finding is that Ceph sends no Vary with a wildcard', async () => {
      await put(s3Cors(hosted));
      expect(await found([ORIGIN])).toEqual(forAllResources('warning cors-not-varied only-with-origin').sort());
    });

    test('has the row of docs/vendors/stores.md', async () => {
      await put(s3Cors(hosted));
      const fixtures = { ...storeOptions(), prefix: 'conformance/' };
      const store = openS3(fixtures);
      for (const [path, bytes] of fixtureFiles()) await store.create(path, bytes);
      const report = await reportOfHost({ url: `${server.origin}/conformance/` });
      expectRow('Ceph behind nginx, with the CORS of the preset for S3', report);
    });

    test('an origin that is not listed is refused', async () => {
      await put(s3Cors({ ...hosted, serviceOrigins: ['https://other.test'] }));
      expect((await found([ORIGIN])).filter((one) => one.startsWith('error cors-')).length).toBeGreaterThan(0);
    });
  },
);
