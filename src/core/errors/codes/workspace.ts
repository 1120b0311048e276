import type { ErrorTable } from './entry.ts';

/** Errors of the configuration, of the documents of a registry, and of what they are compared with. */
export const WORKSPACE_ERRORS = {
  'config-missing': {
    title: 'The configuration that --config names does not exist.',
    fix: 'Check the path.',
  },
  'config-unreadable': {
    title: 'The configuration cannot be read or parsed.',
    fix: 'Fix the file at the position that the message names.',
  },
  'config-invalid': {
    title: 'The configuration has unknown fields, or fields with invalid values.',
    fix: 'Correct each place that is named; https://github.com/appreg/appreg/blob/main/schemas/config.schema.json has all settings.',
  },
  'config-unsupported': {
    title: 'A configuration is code, or in a format or folder that appreg does not read, such as TOML.',
    fix: 'Write it as JSON or YAML, under a supported name.',
  },
  'config-owner': {
    title: 'The configuration belongs to another user, so it was not used.',
    fix: 'Name it with --config if you trust it.',
  },
  'base-url-missing': {
    title: 'The configuration has no baseUrl, so the URLs in the documents cannot be written.',
    fix: 'Add "baseUrl", the URL at which the files are served.',
  },
  'base-url-mismatched': {
    title:
      'The configured baseUrl does not fit the manifest, whose URLs name files of the workspace below another one.',
    fix: 'Correct "baseUrl" in the configuration, or the URLs in the manifest.',
  },
  'base-url-unsupported': {
    title: 'The host chosen with --host cannot serve a registry at this base URL.',
    fix: 'Specify another --base-url, or choose another host.',
  },
  'workspace-missing': {
    title: 'The folder does not contain a registry workspace.',
    fix: 'Create one with appreg init, or specify its configuration with --config.',
  },
  'release-unconfigured': {
    title: 'The configuration does not say where the apps of the repository are.',
    fix: 'Add "release" to the configuration.',
  },
  'release-folder-missing': {
    title: 'A folder in "release" of the configuration matches nothing.',
    fix: 'Correct the glob, or remove the entry.',
  },
  'release-key-invalid': {
    title: 'A key template in "release" has an unknown placeholder, or yields a key that is not URL-safe.',
    fix: 'Rename the folder, or correct the template.',
  },
  'release-key-duplicate': {
    title: '"release" yields the same app key for two folders.',
    fix: 'Rename one of the folders, or give the entries different key templates.',
  },
  'registry-in-store': {
    title: 'The documents of this workspace are kept in a store, so the folder does not contain a manifest.',
    fix: 'Check what is served, with appreg verify.',
  },
  'path-missing': {
    title: 'The file or folder to check does not exist.',
    fix: 'Check the path.',
  },
  'inputs-unusable': {
    title: 'None of the given paths can be used; the message says for each one why.',
    fix: 'Correct the paths that the message names.',
  },
  'manifest-missing': {
    title: 'The folder or store does not contain a registry manifest.',
    fix: 'Specify the manifest, or create a workspace with appreg init.',
  },
  'manifest-ambiguous': {
    title: 'Several files of the folder could be the manifest.',
    fix: 'Set "manifest" in the configuration to one of them.',
  },
  'manifest-name-invalid': {
    title: 'The configured name of the manifest cannot be the path of a URL.',
    fix: 'Give the manifest another name.',
  },
  'metadata-missing': {
    title: 'The metadata file of an app does not exist.',
    fix: 'Restore it from version control.',
  },
  'metadata-outside-workspace': {
    title: 'The metadata URL of an app is outside of the base URL of the workspace.',
    fix: 'Publish where the metadata file is kept, or correct appMetadataUrl or baseUrl.',
  },
  'document-missing': {
    title: 'A document that is to be edited does not exist.',
    fix: 'Restore it from version control.',
  },
  'document-invalid': {
    title: 'A document has errors, so it cannot be edited without losing data.',
    fix: 'Fix what appreg lint reports.',
  },
  'not-utf8': {
    title: 'A document is not UTF-8, so it cannot be edited without changing other text.',
    fix: 'Save it as UTF-8; appreg lint reports the position.',
  },
  'app-unknown': {
    title: 'The registry does not list an app with this key.',
    fix: 'Check the spelling, or add the app with appreg add-app.',
  },
  'policy-invalid': {
    title: 'The policy file has unknown fields, or fields with invalid values.',
    fix: 'Correct each place that is named; docs/operators/policies.md explains the fields.',
  },
  'lock-file-invalid': {
    title: 'The lock file of published versions cannot be parsed.',
    fix: 'Restore it from version control, or remove it and run appreg lock.',
  },
  'baseline-missing': {
    title: '--against names neither an existing file or folder nor a git ref.',
    fix: 'Check the spelling; a remote branch may have to be fetched first.',
  },
  'baseline-ambiguous': {
    title: '--against names both a file or folder and a git ref, or several git refs.',
    fix: 'Write ./name for the file or folder, or the full name of the ref, such as refs/heads/name.',
  },
  'baseline-unusable': {
    title: 'What --against names does not contain a usable registry.',
    fix: 'Specify a folder, a git ref, a manifest, a URL, or facts saved by appreg verify --save.',
  },
  'registry-unusable': {
    title: 'A registry to compare has no usable manifest.',
    fix: 'Check it with appreg lint or appreg verify.',
  },
  'facts-invalid': {
    title: 'The file does not contain facts saved by appreg.',
    fix: 'Specify a file written by appreg verify --save or appreg diagnose --bundle.',
  },
  'shards-mismatch': {
    title: 'The files do not contain the shards of one run of appreg verify --shard.',
    fix: 'Specify the shards of one run, each once.',
  },
  'git-missing': {
    title: 'git is not installed, or cannot be started.',
    fix: 'Install git.',
  },
  'git-failed': {
    title: 'A git command failed.',
    fix: 'Read the error message of git.',
  },
  'git-ownership': {
    title: 'git refuses the repository, because its folder belongs to another user.',
    fix: 'Add the folder to safe.directory of the git configuration.',
  },
  'git-shallow': {
    title: 'The git ref is not part of this shallow clone.',
    fix: 'Fetch it, or clone with the whole history.',
  },
} as const satisfies ErrorTable;
