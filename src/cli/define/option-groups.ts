import { ATTESTATION_MODES } from './choices.ts';
import { type ArgumentDefinition, flag, list, number, text } from './command.ts';

/** Arguments and options that several commands share. */

/** Who has to have signed an attestation, and what it is verified with. */
export const signerOptions = {
  issuer: text(
    '--issuer <url>',
    'the OIDC issuer of the signer, such as https://token.actions.githubusercontent.com',
    'text',
  ),
  identity: text(
    '--identity <glob>',
    'the identity of the signer: the URL of a workflow and its ref, or an e-mail address',
    'text',
  ),
  repository: text('--repository <url>', 'the source repository of the signer', 'url'),
  key: text('--key <file>', 'the public key of the signer (PEM, ECDSA P-256), in place of an identity', 'file'),
  trustedRoot: text(
    '--trusted-root <file>',
    'the trusted root of a Sigstore instance (default: that of the public one, from this version of appreg)',
    'file',
  ),
};

/** Options for the check of the attestations of a live registry. */
export const attestationOptions = {
  attestations: text(
    '--attestations <mode>',
    'report: also verify the attestations of artifacts; require: each artifact must have one (default: off)',
    ATTESTATION_MODES,
  ),
  ...signerOptions,
};

export const attestOptions = {
  attest: flag('--attest', 'also publish an attestation (Sigstore), signed with the OIDC token of the CI system'),
  attestKeyEnv: text(
    '--attest-key-env <ENV>',
    'also publish an attestation, signed with the private key in this environment variable (ECDSA P-256)',
    'text',
  ),
  attestation: text(
    '--attestation <file>',
    'also publish this attestation (Sigstore bundle), after verifying it',
    'file',
  ),
  ...signerOptions,
};

/** For the commands of the conformance kit that test an implementation. */
export const conformanceOptions = {
  set: number('--set <n>', 'the frozen set of cases (default: the latest)', 'whole'),
  only: list('--only <id>', 'only this case; repeatable', 'any'),
  expected: text('--expected <file>', 'cases that are expected to fail, with reasons (JSON)', 'file'),
  implementation: text('--name <name>', 'the name of the implementation, for the results', 'text'),
};

/** @param what the command is, as the help says it */
export function implementationOption(what: string) {
  return { command: text('--command <program>', what, 'any') };
}

export const registryUrlArgument = {
  usage: '<registry-url>',
  value: 'registry-url',
  prompt: {
    message: 'URL of the registry’s manifest?',
    placeholder: 'https://apps.example.com/registry.json',
  },
} as const satisfies ArgumentDefinition;

export const globalOptions = {
  config: text('--config <file>', 'configuration file (default: nearest appreg.config.*)', 'file'),
  cwd: text('--cwd <dir>', 'run as if started in this folder', 'folder'),
  format: text('--format <format>', 'format of the results: see the help of the command', 'format'),
  output: text('--output <file>', 'write results to a file instead of stdout', 'file'),
  report: list('--report <format=file>', 'also write the results to this file; repeatable', 'format-and-file'),
  quiet: flag('--quiet', 'print results only'),
  verbose: flag('--verbose', 'print more details'),
  color: flag('--no-color', 'print without colors'),
  yes: flag('--yes', 'never prompt'),
  maxWarnings: number('--max-warnings <n>', 'exit with 1 if there are more than n warnings', 'whole'),
  rule: list('--rule <id=level>', 'set a rule to off, note, warning or error; repeatable', 'rule-level'),
};

/** Headers, which usually hold credentials. @param receiver where they are sent, as the help says it */
export function headerOptions(receiver: string) {
  return {
    header: list('--header <header>', `send 'Name: value' to ${receiver}; repeatable`, 'any'),
    headerEnv: list(
      '--header-env <name=ENVVAR>',
      'like --header, with the value of an environment variable; repeatable',
      'any',
    ),
  };
}

export const authorityOption = { ca: text('--ca <file>', 'also trust this certificate authority (PEM)', 'file') };

/** @param what is done with it, as the help says it */
export function sbomOption(what: string) {
  return { sbom: flag('--sbom', `${what} (CycloneDX)`) };
}

export const loadTestOption = {
  loadTest: flag('--no-load-test', 'do not load the built code, unpacked and alone, before it is stored'),
};

/** For commands that store nothing with some of their options. @param modes those options, as the help says them */
export function alsoLoadTestOption(modes: string) {
  return { alsoLoadTest: flag('--load-test', `with ${modes}: also load the built code, which runs it`) };
}

export const noticesOption = { notices: flag('--no-notices', 'omit the license notices of the packages in the code') };

export const concurrencyOption = {
  concurrency: number('--concurrency <n>', 'concurrent requests per host (default: 32)', 'connections'),
};

/** For a registry that is read once, without settings of a check. */
export const readOptions = { ...headerOptions("a live registry's origin"), ...authorityOption };

export const baselineOption = {
  baseline: text(
    '--baseline <report.json>',
    'count only findings that are not in this report (written with --format json)',
    'file',
  ),
};

export const appOption = { app: list('--app <key>', 'only this app; repeatable', 'app-key') };

export const versionsOption = {
  versions: text(
    '--versions <which>',
    'only these versions: latest, all or a semver range (default: all)',
    'version-range',
  ),
};

export const baseUrlOption = {
  baseUrl: text('--base-url <url>', 'the URL that the files will be served at', 'base-url', {
    message: 'At which URL will the files be served?',
    placeholder: 'https://apps.example.com/',
  }),
};

/** For commands that check a live registry, or facts about one. */
export const againstOption = {
  against: text(
    '--against <dir|git-ref|file|url>',
    'also compare with this state: stored files that are not served, and changes to published versions',
    'registry-state',
  ),
};

/** For commands that check a live registry. */
export const checkOptions = {
  ...appOption,
  origin: list('--origin <origin>', 'an origin of the service, to send requests as a browser does; repeatable', 'any'),
  ...headerOptions("the registry's origin"),
  ...concurrencyOption,
  timeout: number('--timeout <s>', 'seconds per resource (default: 60, artifacts 600)', 'positive'),
  ...authorityOption,
  skipArtifacts: flag('--skip-artifacts', 'do not download artifacts'),
  ...againstOption,
  ...attestationOptions,
};

/** For commands that publish versions, which cannot be taken back. */
export const allowPrereleaseOption = {
  allowPrerelease: flag('--allow-prerelease', 'allow a version with a pre-release or build part'),
};

/** For commands that make or publish an artifact. */
export const allowSecretOption = {
  allowSecret: list('--allow-secret <fingerprint>', 'accept this value, which looks like a secret; repeatable', 'any'),
};

export const dataFolderOption = {
  data: text(
    '--data <folder>',
    'folder of the embedded PostgreSQL, which is used if DATABASE_URL is not set',
    'folder',
  ),
};

export const dryRunOption = { dryRun: flag('--dry-run', 'run all checks and show the plan; write nothing') };

/** @param defaults as the help says them */
export function listenOptions(defaults: { port: string; host: string }) {
  return {
    port: number('--port <n>', `port to listen on; 0 picks a free one (default: ${defaults.port})`, 'port'),
    host: text('--host <address>', `address to listen on (default: ${defaults.host})`, 'any'),
  };
}
