import { RESULT_FORMATS } from '../../report/options.ts';
import { CI_SYSTEMS, HOSTS, STORES } from './choices.ts';
import { type CommandDefinition, flag, list, text } from './command.ts';
import { baseUrlOption } from './option-groups.ts';

export const initCommand = {
  name: 'init',
  group: 'everyday',
  description: 'create a registry workspace',
  arguments: [{ usage: '[dir]', value: 'folder' }],
  options: {
    ...baseUrlOption,
    manifest: text('--manifest <name.json>', 'file name of the manifest (default: registry.json)', 'manifest-name'),
    serviceOrigin: list(
      '--service-origin <origin>',
      'an origin of the service, whose pages send requests from browsers; repeatable',
      'origin',
    ),
    store: text(
      '--store <type>',
      'where the registry is published: directory, git or s3 (default: set by --host, otherwise directory)',
      STORES,
    ),
    bucket: text('--bucket <name>', 'with --store s3: the bucket', 'bucket', {
      message: 'In which bucket is the registry stored?',
    }),
    prefix: text('--prefix <path>', 'with --store s3: key prefix', 'any'),
    region: text('--region <region>', "with --store s3: the bucket's region", 'any'),
    endpoint: text('--endpoint <url>', "with --store s3: the store's endpoint, if it is not Amazon's", 'url'),
    remote: text('--remote <name|url>', 'with --store git: the remote (default: origin)', 'any'),
    branch: text('--branch <name>', 'with --store git: the branch (default: gh-pages)', 'any'),
    host: text(
      '--host <host>',
      'also write the configuration for this host: r2, s3, gcs, github-pages, cloudflare-pages, netlify or nginx',
      HOSTS,
    ),
    ci: text('--ci <system>', 'write a CI workflow: github, gitlab or none', CI_SYSTEMS),
    attest: flag('--attest', 'with --ci: publish attestations of who built each version, and from which commit'),
  },
  formats: RESULT_FORMATS,
  examples: [
    'init my-registry --base-url https://apps.example.com/',
    'init --host github-pages --ci github --base-url https://example.github.io/apps/',
  ],
} as const satisfies CommandDefinition;
