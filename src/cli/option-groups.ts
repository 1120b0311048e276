import { ATTESTATION_MODES, CONFIG_FORMATS } from './choices.ts';
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

/** Who has to have signed an attestation, and what it is verified with. */
export const signerOptions = {
  issuer: {
    type: 'string',
    flags: '--issuer <url>',
    description: 'the OIDC issuer of the signer, such as https://token.actions.githubusercontent.com',
    value: 'text',
  },
  identity: {
    type: 'string',
    flags: '--identity <glob>',
    description: 'the identity of the signer: the URL of a workflow and its ref, or an e-mail address',
    value: 'text',
  },
  repository: {
    type: 'string',
    flags: '--repository <url>',
    description: 'the source repository of the signer',
    value: 'url',
  },
  key: {
    type: 'string',
    flags: '--key <file>',
    description: 'the public key of the signer (PEM, ECDSA P-256), in place of an identity',
    value: 'file',
  },
  trustedRoot: {
    type: 'string',
    flags: '--trusted-root <file>',
    description:
      'the trusted root of a Sigstore instance (default: that of the public one, from this version of appreg)',
    value: 'file',
  },
} as const satisfies OptionDefinitions;

/** Whether attestations of a live registry are checked, and what they have to prove. */
export const attestationOptions = {
  attestations: {
    type: 'string',
    flags: '--attestations <mode>',
    description:
      'report: also verify the attestations of artifacts; require: each artifact must have one (default: off)',
    value: ATTESTATION_MODES,
  },
  ...signerOptions,
} as const satisfies OptionDefinitions;

/** How published versions are attested. */
export const attestOptions = {
  attest: {
    type: 'boolean',
    flags: '--attest',
    description: 'also publish an attestation (Sigstore), signed with the OIDC token of the CI system',
  },
  attestKeyEnv: {
    type: 'string',
    flags: '--attest-key-env <ENV>',
    description: 'also publish an attestation, signed with the private key in this environment variable (ECDSA P-256)',
    value: 'text',
  },
  attestation: {
    type: 'string',
    flags: '--attestation <file>',
    description: 'also publish this attestation (Sigstore bundle), after verifying it',
    value: 'file',
  },
  ...signerOptions,
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

/** For the commands that test an implementation. */
export const conformanceOptions = {
  set: {
    type: 'number',
    flags: '--set <n>',
    description: 'the frozen set of cases (default: the latest)',
    range: 'whole',
  },
  only: { type: 'list', flags: '--only <id>', description: 'only this case; repeatable', value: 'any' },
  expected: {
    type: 'string',
    flags: '--expected <file>',
    description: 'cases that are expected to fail, with reasons (JSON)',
    value: 'file',
  },
  implementation: {
    type: 'string',
    flags: '--name <name>',
    description: 'the name of the implementation, for the results',
    value: 'text',
  },
} as const satisfies OptionDefinitions;

/** @param what the command is, as the help says it */
export function implementationOption(what: string) {
  return {
    command: { type: 'string', flags: '--command <program>', description: what, value: 'any' },
  } as const satisfies OptionDefinitions;
}
