// Scenario: real packages of the npm registry are bundled, one app each, and loaded where they are installed.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { bundle, type Bundle, type BundleOptions } from '../../src/bundle/bundle.ts';
import { loadTest } from '../../src/bundle/load-test/load-test.ts';
import { isAppregError } from '../../src/core/errors/error.ts';
import { result, settingIn } from './references/follow.ts';
import { tree, unpackedBytes, writeFiles } from './tree.ts';

/** Packages that run as they are bundled. */
const RUNNING = `
  @aws-sdk/client-s3@3.1175.0 @azure/storage-blob@12.32.0 @googleapis/drive@22.0.0 @grpc/proto-loader@0.8.1
  @hubspot/api-client@13.5.0 @notionhq/client@5.26.0 @octokit/rest@22.0.1 @slack/web-api@8.2.0 axios@1.21.1 cheerio@1.2.0
  dayjs@1.11.23 fflate@0.8.3 got@14.6.6 graphql@16.15.0 handlebars@4.7.10 lodash@4.18.1 luxon@3.7.2 moment@2.31.0
  mongodb@7.9.0 mysql2@3.24.6 nodemailer@10.6.1 octokit@5.0.5 openai@6.49.0 p-limit@7.3.3 pg@8.23.1 preact@11.2.0
  react@19.3.1 react-dom@19.3.1 rss-parser@3.13.0 semver@7.8.6 stripe@23.1.0 telegraf@4.16.3 twilio@6.3.1 undici@7.30.2
  winston@3.19.0 ws@8.23.0 xlsx@0.18.5 zod@4.6.7`;

/** Packages that need more than their code: each with words of the warnings, or of the refusal. */
const NEEDING: Record<string, string[]> = {
  '@grpc/grpc-js@1.14.7': ['needs ../../proto '],
  '@node-rs/bcrypt@2.0.0': [
    '“@node-rs/bcrypt-linux-x64-gnu” is a native addon',
    '--external @node-rs/bcrypt-linux-x64-gnu',
  ],
  '@slack/bolt@5.1.0': ['require(mod) loads a module whose name'],
  'argon2@0.45.1': ['{ "from": "node_modules/argon2/prebuilds", "to": "prebuilds" }'],
  'bcrypt@6.0.0': ['{ "from": "node_modules/bcrypt/prebuilds", "to": "prebuilds" }'],
  'better-sqlite3@12.11.1': ['require("bindings") looks for a native addon'],
  'discord.js@14.28.1': ['needs defaultWorker.js '],
  'dockerode@5.0.1': ['needs proto/auth.proto ', 'needs proto/buildkit_status.proto '],
  'express@5.3.0': ['require(mod) loads a module whose name'],
  'geoip-lite@1.4.10': ['needs ../data/geoip-country.dat '],
  'ioredis@5.11.1': ['(package ioredis)'],
  'jsdom@29.1.1': ['needs ../../../browser/default-stylesheet.css ', 'needs xhr-sync-worker.js '],
  'knex@3.3.0': ['“sqlite3”, which knex imports, is not installed', '--external mysql'],
  'node-ssh@13.2.1': ['needs ../util/pagent.exe '],
  'pdfjs-dist@5.6.205': ['needs pdf.worker.mjs ', 'DOMMatrix is not defined'],
  'pdfkit@0.20.2': ['needs data/sRGB_IEC61966_2_1.icc ', 'loads #standard-fonts/'],
  'pino@10.4.0': ['needs lib/worker.js ', 'needs worker.js '],
  'piscina@5.3.2': ['needs worker.js '],
  'playwright-core@1.65.1': ["Cannot find module '../package.json'", 'needs webp_codec.wasm '],
  'sharp@0.35.5': ['@img/sharp-linux-x64/sharp.node, which is installed here, and not in the archive'],
  'snowflake-sdk@3.3.0': ['needs xdg-open '],
  'sql.js@1.17.0': ['{ "from": "node_modules/sql.js/dist/sql-wasm.wasm", "to": "sql-wasm.wasm" }'],
  'ssh2@1.17.0': ['needs ../util/pagent.exe '],
  'ssh2-sftp-client@12.1.1': ['needs ../util/pagent.exe '],
  'swagger-ui-dist@5.35.0': ['(package swagger-ui-dist)', 'computes the path of a file'],
  'tesseract.js@7.0.0': ['needs ../../worker-script/node/index.js '],
  'tiktoken@1.0.22': ['{ "from": "node_modules/tiktoken/tiktoken_bg.wasm", "to": "tiktoken_bg.wasm" }'],
  'tsyringe@4.10.0': ['reflect-metadata'],
  'typeorm@1.1.1': ['(package typeorm): require('],
};

const runningNames = RUNNING.trim().split(/\s+/);

/** All packages in one folder; null if the registry cannot be reached, or is another platform's. */
function installed(): string | null {
  const folder = tree({ 'package.json': '{ "private": true, "type": "module" }' });
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--legacy-peer-deps'];
  const names = [...runningNames, ...Object.keys(NEEDING)];
  const { status } = spawnSync('npm', ['install', ...flags, ...names], { cwd: folder, timeout: 540_000 });
  return status === 0 ? folder : null;
}

const isSupported = process.platform === 'linux' && process.arch === 'x64';
const packages = isSupported ? installed() : null;
if (packages === null) console.log('real packages: skipped, since the npm registry cannot be reached from here');

function nameOf(spec: string): string {
  return spec.slice(0, spec.lastIndexOf('@'));
}

function optionsFor(name: string, code: string): BundleOptions {
  const entry = join(packages!, 'apps', name, 'main.js');
  mkdirSync(dirname(entry), { recursive: true });
  writeFileSync(entry, code);
  return { cwd: packages!, entry, notices: false };
}

interface Said {
  built: Bundle | null;
  isRefused: boolean;
  /** The warnings, or the error. */
  texts: string[];
}

async function said(options: BundleOptions): Promise<Said> {
  let built: Bundle | null = null;
  try {
    built = await bundle(options);
    const { warnings } = await loadTest(built, options);
    return { built, isRefused: false, texts: [...built.warnings, ...warnings] };
  } catch (error) {
    if (!isAppregError(error)) throw error;
    return { built, isRefused: true, texts: [...(built?.warnings ?? []), `${error.message}\n${error.hint}`] };
  }
}

/** True if the code is loaded where it is unpacked, alone, and without restrictions. */
async function runs({ archive }: Bundle): Promise<boolean> {
  const folder = writeFiles(tree(), await unpackedBytes(archive));
  const url = JSON.stringify(pathToFileURL(join(folder, 'app.js')).href);
  const code = `import(${url}).then(() => process.exit(0), () => process.exit(1))`;
  return spawnSync(process.execPath, ['-e', code], { cwd: folder, timeout: 60_000 }).status === 0;
}

const importing = (name: string): string =>
  `import * as all from ${JSON.stringify(name)};\nexport const app = Object.keys(all);\n`;

describe.skipIf(packages === null)('a package that runs has no warning', () => {
  test.each(runningNames)('%s', async (spec) => {
    const { built, isRefused, texts } = await said(optionsFor(nameOf(spec), importing(nameOf(spec))));
    expect({ isRefused, texts }).toEqual({ isRefused: false, texts: [] });
    expect(await runs(built!)).toBe(true);
  });
});

describe.skipIf(packages === null)('a package that needs more names it, and is not refused if it runs', () => {
  test.each(Object.entries(NEEDING))('%s', async (spec, words) => {
    const { built, isRefused, texts } = await said(optionsFor(nameOf(spec), importing(nameOf(spec))));
    for (const word of words) expect(texts.join('\n')).toContain(word);
    if (built !== null && isRefused) expect(await runs(built)).toBe(false);
  });
});

describe.skipIf(packages === null)('advice that is followed makes the package work', () => {
  test.each<[name: string, code: string, expected: string, external?: string]>([
    ['bcrypt', `import bcrypt from 'bcrypt'; export const run = () => bcrypt.hashSync('x', 4).length;`, '60'],
    [
      '@node-rs/bcrypt',
      `import { genSaltSync } from '@node-rs/bcrypt'; export const run = () => typeof genSaltSync;`,
      'function',
      '@node-rs/bcrypt-linux-x64-gnu',
    ],
    [
      'pdfkit',
      `import PDFDocument from 'pdfkit'; export const run = () => new Promise((done) => { const all = []; new PDFDocument().on('data', (part) => all.push(part)).on('end', () => done(Buffer.concat(all).subarray(0, 5).toString())).text('a').end(); });`,
      '%PDF-',
    ],
    [
      'sharp',
      `import sharp from 'sharp'; const create = { width: 2, height: 2, channels: 3, background: 'red' }; export const run = async () => (await sharp({ create }).png().toBuffer()).subarray(1, 4).toString();`,
      'PNG',
    ],
    [
      'sql.js',
      `import open from 'sql.js'; export const run = async () => new (await open()).Database().exec('select 1 + 1')[0].values[0][0];`,
      '2',
    ],
    [
      'tiktoken',
      `import { get_encoding } from 'tiktoken'; export const run = () => get_encoding('cl100k_base').encode('hello world').length;`,
      '2',
    ],
  ])('%s', async (name, code, expected, external) => {
    const options = optionsFor(`${name}-used`, code);
    const before = await said(options);
    const include = before.texts.filter((text) => text.includes('"include": ')).flatMap(settingIn);
    const built = await bundle({ ...options, include, ...(external && { external: [external] }) });
    expect(await result(built)).toBe(expected);
  });
});

describe.skipIf(packages === null)('npm and pnpm', () => {
  test('give the same bytes of packages that npm installs more than once', async () => {
    const { packageManager, MANAGER_ENV } = await import('../support/package-managers.ts');
    const pnpm = packageManager('pnpm');
    if (pnpm === null) return console.log('skipped: pnpm cannot be installed');
    const several = ['axios', 'discord.js', 'express', 'mysql2', 'twilio', 'winston'];
    const versions = [...runningNames, ...Object.keys(NEEDING)].filter((spec) => several.includes(nameOf(spec)));
    const dependencies = Object.fromEntries(
      versions.map((spec) => [nameOf(spec), spec.slice(spec.lastIndexOf('@') + 1)]),
    );
    const code = several.map((name, at) => `import x${at} from '${name}';`).join('');
    const files = {
      'package.json': JSON.stringify({ private: true, type: 'module', dependencies }),
      'main.js': `${code} export const app = [${several.map((_, at) => `x${at}`).join()}];`,
    };
    const digests = await Promise.all(
      [
        ['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund'],
        [...pnpm, 'install', '--ignore-scripts'],
      ].map(async ([program = '', ...args]) => {
        const folder = tree(files);
        const settings = {
          cwd: folder,
          encoding: 'utf8',
          timeout: 240_000,
          env: { ...process.env, ...MANAGER_ENV },
        } as const;
        const { status, stdout, stderr } = spawnSync(program, args, settings);
        expect(status, `${stdout}${stderr}`).toBe(0);
        return (await bundle({ cwd: folder, entry: join(folder, 'main.js') })).checksum;
      }),
    );
    expect(digests[0]).toBe(digests[1]);
  });
});
