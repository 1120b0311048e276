import { RESULT_FORMATS } from '../../../report/options.ts';
import { CI_SYSTEMS, HOSTS, STORES } from '../../choices.ts';
import type { CommandDefinition } from '../../command-definition.ts';
import { baseUrlOption } from '../../option-groups.ts';

export const initCommand = {
  name: 'init',
  executesConfig: true,
  description: 'create a registry workspace',
  arguments: [{ usage: '[dir]', value: 'folder' }],
  options: {
    ...baseUrlOption,
    manifest: {
      type: 'string',
      flags: '--manifest <name.json>',
      description: 'file name of the manifest (default: registry.json)',
      value: 'manifest-name',
    },
    serviceOrigin: {
      type: 'list',
      flags: '--service-origin <origin>',
      description: 'an origin of the service, whose pages send requests from browsers; repeatable',
      value: 'origin',
    },
    store: {
      type: 'string',
      flags: '--store <type>',
      description:
        'where the registry is published: directory, git or s3 (default: set by --host, otherwise directory)',
      value: STORES,
    },
    bucket: {
      type: 'string',
      flags: '--bucket <name>',
      description: 'with --store s3: the bucket',
      value: 'bucket',
      prompt: { message: 'In which bucket is the registry stored?' },
    },
    prefix: { type: 'string', flags: '--prefix <path>', description: 'with --store s3: key prefix', value: 'any' },
    region: {
      type: 'string',
      flags: '--region <region>',
      description: "with --store s3: the bucket's region",
      value: 'any',
    },
    endpoint: {
      type: 'string',
      flags: '--endpoint <url>',
      description: "with --store s3: the store's endpoint, if it is not Amazon's",
      value: 'url',
    },
    remote: {
      type: 'string',
      flags: '--remote <name|url>',
      description: 'with --store git: the remote (default: origin)',
      value: 'any',
    },
    branch: {
      type: 'string',
      flags: '--branch <name>',
      description: 'with --store git: the branch (default: gh-pages)',
      value: 'any',
    },
    host: {
      type: 'string',
      flags: '--host <host>',
      description:
        'also write the configuration for this host: r2, s3, gcs, github-pages, cloudflare-pages, netlify or nginx',
      value: HOSTS,
    },
    ci: {
      type: 'string',
      flags: '--ci <system>',
      description: 'write a CI workflow: github, gitlab or none',
      value: CI_SYSTEMS,
    },
    attest: {
      type: 'boolean',
      flags: '--attest',
      description: 'with --ci: publish attestations of who built each version, and from which commit',
    },
  },
  formats: RESULT_FORMATS,
  examples: [
    'init my-registry --base-url https://apps.example.com/',
    'init --host github-pages --ci github --base-url https://example.github.io/apps/',
  ],
} as const satisfies CommandDefinition;
