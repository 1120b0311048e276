import { attestationOptions } from './attestation-options.ts';
import { CONFIG_FORMATS } from './choices.ts';
import type { ArgumentDefinition, OptionDefinitions } from './command-definition.ts';

/** Arguments and options that several commands share. */

export const registryUrlArgument = {
  usage: '<registry-url>',
  value: 'registry-url',
  prompt: {
    message: 'URL of the registry’s manifest?',
    placeholder: 'https://apps.example.com/registry.json',
  },
} as const satisfies ArgumentDefinition;

export const globalOptions = {
  config: {
    type: 'string',
    flags: '--config <file>',
    description: 'configuration file (default: the nearest appreg.config.*)',
    value: 'file',
  },
  cwd: { type: 'string', flags: '--cwd <dir>', description: 'run as if started in this folder', value: 'folder' },
  configFormat: {
    type: 'string',
    flags: '--config-format <any|data>',
    description: 'data: refuse a configuration that is code; any: execute it',
    value: CONFIG_FORMATS,
  },
  format: {
    type: 'string',
    flags: '--format <format>',
    description: 'format of the results; the help of each command lists its formats',
    value: 'format',
  },
  output: {
    type: 'string',
    flags: '--output <file>',
    description: 'write results to a file instead of stdout',
    value: 'file',
  },
  report: {
    type: 'list',
    flags: '--report <format=file>',
    description: 'also write the results in this format to a file; repeatable',
    value: 'format-and-file',
  },
  quiet: { type: 'boolean', flags: '--quiet', description: 'print results only' },
  verbose: { type: 'boolean', flags: '--verbose', description: 'print more details' },
  color: { type: 'boolean', flags: '--no-color', description: 'print without colors' },
  yes: { type: 'boolean', flags: '--yes', description: 'never prompt' },
  maxWarnings: {
    type: 'number',
    flags: '--max-warnings <n>',
    description: 'exit with 1 if there are more than n warnings',
    range: 'whole',
  },
  rule: {
    type: 'list',
    flags: '--rule <id=level>',
    description: 'set a rule to off, note, warning or error; repeatable',
    value: 'rule-level',
  },
} as const satisfies OptionDefinitions;

/** Headers, which usually hold credentials. @param receiver where they are sent, as the help says it */
export function headerOptions(receiver: string) {
  return {
    header: {
      type: 'list',
      flags: '--header <header>',
      description: `send 'Name: value' to ${receiver}; repeatable`,
      value: 'any',
    },
    headerEnv: {
      type: 'list',
      flags: '--header-env <name=ENVVAR>',
      description: 'like --header, with the value of an environment variable; repeatable',
      value: 'any',
    },
  } as const satisfies OptionDefinitions;
}

export const authorityOption = {
  ca: {
    type: 'string',
    flags: '--ca <file>',
    description: 'also trust this certificate authority (PEM)',
    value: 'file',
  },
} as const satisfies OptionDefinitions;

export const advisoriesOption = {
  advisories: {
    type: 'string',
    flags: '--advisories <folder>',
    description: 'also report known vulnerabilities of bundled packages, by these OSV files; nothing is downloaded',
    value: 'folder',
  },
} as const satisfies OptionDefinitions;

/** @param what is done with it, as the help says it */
export function sbomOption(what: string) {
  return {
    sbom: { type: 'boolean', flags: '--sbom', description: `${what} (CycloneDX)` },
  } as const satisfies OptionDefinitions;
}

export const noticesOption = {
  notices: {
    type: 'boolean',
    flags: '--no-notices',
    description: 'omit the license notices of the packages in the code',
  },
} as const satisfies OptionDefinitions;

export const concurrencyOption = {
  concurrency: {
    type: 'number',
    flags: '--concurrency <n>',
    description: 'concurrent requests per host (default: 32)',
    range: 'positive',
  },
} as const satisfies OptionDefinitions;

/** For a registry that is read once, without settings of a check. */
export const readOptions = { ...headerOptions("a live registry's origin"), ...authorityOption } as const;

export const baselineOption = {
  baseline: {
    type: 'string',
    flags: '--baseline <report.json>',
    description: 'count only findings that are not in this report (written with --format json)',
    value: 'file',
  },
} as const satisfies OptionDefinitions;

export const appOption = {
  app: { type: 'list', flags: '--app <key>', description: 'only this app; repeatable', value: 'app-key' },
} as const satisfies OptionDefinitions;

export const versionsOption = {
  versions: {
    type: 'string',
    flags: '--versions <which>',
    description: 'only these versions: latest, all or a semver range (default: all)',
    value: 'version-range',
  },
} as const satisfies OptionDefinitions;

export const baseUrlOption = {
  baseUrl: {
    type: 'string',
    flags: '--base-url <url>',
    description: 'the URL that the files will be served at',
    value: 'base-url',
    prompt: { message: 'At which URL will the files be served?', placeholder: 'https://apps.example.com/' },
  },
} as const satisfies OptionDefinitions;

/** For commands that check a live registry. */
export const checkOptions = {
  ...appOption,
  origin: {
    type: 'list',
    flags: '--origin <origin>',
    description: 'an origin of the service, to send requests as a browser does; repeatable',
    value: 'any',
  },
  ...headerOptions("the registry's origin"),
  ...concurrencyOption,
  timeout: {
    type: 'number',
    flags: '--timeout <s>',
    description: 'seconds per resource (default: 60, artifacts 600)',
    range: 'positive',
  },
  ...authorityOption,
  skipArtifacts: { type: 'boolean', flags: '--skip-artifacts', description: 'do not download artifacts' },
  against: {
    type: 'string',
    flags: '--against <file|url>',
    description: 'also report changes to published versions, compared with this state',
    value: 'file',
  },
  ...attestationOptions,
} as const satisfies OptionDefinitions;

/** For commands that publish versions: what is refused because it cannot be taken back. */
export const allowVersionOptions = {
  allowPrerelease: {
    type: 'boolean',
    flags: '--allow-prerelease',
    description: 'allow a version with a pre-release or build part',
  },
  allowSame: {
    type: 'boolean',
    flags: '--allow-same',
    description: 'allow the bytes of another version of the app under a new number',
  },
} as const satisfies OptionDefinitions;

/** For commands that make or publish an artifact. */
export const allowSecretOption = {
  allowSecret: {
    type: 'list',
    flags: '--allow-secret <fingerprint>',
    description: 'accept this value, which looks like a secret; repeatable',
    value: 'any',
  },
} as const satisfies OptionDefinitions;

export const dataFolderOption = {
  data: {
    type: 'string',
    flags: '--data <folder>',
    description: 'folder of the embedded PostgreSQL, which is used if DATABASE_URL is not set',
    value: 'folder',
  },
} as const satisfies OptionDefinitions;

export const dryRunOption = {
  dryRun: {
    type: 'boolean',
    flags: '--dry-run',
    description: 'run all checks and show the plan; write nothing',
  },
} as const satisfies OptionDefinitions;

/** @param defaults as the help says them */
export function listenOptions(defaults: { port: string; host: string }) {
  return {
    port: {
      type: 'number',
      flags: '--port <n>',
      description: `port to listen on; 0 picks a free one (default: ${defaults.port})`,
      range: 'port',
    },
    host: {
      type: 'string',
      flags: '--host <address>',
      description: `address to listen on (default: ${defaults.host})`,
      value: 'any',
    },
  } as const satisfies OptionDefinitions;
}
