import type { ErrorTable } from './entry.ts';

/** Errors of the command line itself, and of the run as a whole. */
export const USAGE_ERRORS = {
  usage: {
    title: 'The command line names an unknown command or option, or an argument is missing.',
    fix: 'Run the command with --help.',
  },
  'option-missing': {
    title: 'A required option is missing, and the command cannot prompt for it.',
    fix: 'Add the option that the message names.',
  },
  'option-invalid': {
    title: 'The value of an option or argument is invalid.',
    fix: 'Write the value in the form that the message shows.',
  },
  'option-conflict': {
    title: 'An option cannot be used with the other options, or with this target.',
    fix: 'Remove one of them.',
  },
  'format-unknown': {
    title: 'The command does not have this output format.',
    fix: 'Use one of the formats that the message lists.',
  },
  'shell-unknown': {
    title: 'Completion does not support the shell.',
    fix: 'Use one of the shells that the message lists.',
  },
  'runtime-unsupported': {
    title: 'The command needs the network, or something else that only Node.js has, and runs on Bun or Deno.',
    fix: 'Run it with Node.js.',
  },
  'rule-unknown': {
    title: 'The configuration, --rule or explain names a rule that does not exist.',
    fix: 'Correct the id; appreg rules lists all rules.',
  },
  'rule-level-unknown': {
    title: 'The configuration or --rule sets a rule to an unknown level.',
    fix: 'Use off, note, warning or error.',
  },
  'baseline-report-invalid': {
    title:
      'The file of --baseline does not exist, is not a report of appreg that this version can read, or is a report of another registry.',
    fix: 'Specify a report that appreg wrote with --format json.',
  },
  'url-invalid': {
    title: 'A URL cannot be parsed, or is not an http(s) URL.',
    fix: 'Write the full URL, beginning with https://.',
  },
  'url-credentials': {
    title: 'A URL contains a user name or password, which would appear in logs and reports.',
    fix: 'Pass credentials with --header-env.',
  },
  'environment-variable-unset': {
    title: 'The configuration or an option refers to an environment variable that is not set.',
    fix: 'Set the variable.',
  },
  'folder-not-empty': {
    title: 'The folder that is to be written contains other files.',
    fix: 'Give a new or empty folder.',
  },
  'ca-file-invalid': {
    title: 'The file of --ca cannot be read, or does not contain a certificate.',
    fix: 'Specify a PEM file with the certificate of the authority.',
  },
  'output-unwritable': {
    title: 'The results cannot be written to the file that an option names.',
    fix: 'Specify a file in a folder that exists and is writable.',
  },
  'cache-unusable': {
    title: 'The folder of --cache cannot be read or created.',
    fix: 'Specify a writable folder.',
  },
  'expected-failures-invalid': {
    title: 'The file of --expected is not a list of expected failures with reasons, or names an unknown case.',
    fix: 'Write a JSON list of objects with the members case and reason.',
  },
  'command-not-started': {
    title: 'The program of --command, which a conformance test runs, cannot be started.',
    fix: 'Check its path and its permissions.',
  },
  interrupted: {
    title:
      'A signal ended the run (Ctrl+C, or the end of a CI job). The exit code is 128 plus the number of the signal.',
    fix: 'Run the same command again. Publishing and mirroring continue; checks start over.',
  },
  defect: {
    title: 'appreg itself failed. The stack is printed to stderr.',
    fix: 'Report it, with the stack.',
  },
} as const satisfies ErrorTable;
