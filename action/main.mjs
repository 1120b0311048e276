// Program of action.yml: one command, shown as a log, annotations, a step summary, a report file, outputs, and for release
// and diff a comment on the pull request.
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { baseOfPullRequest, eventOf } from './base.mjs';
import { CommentError, githubHost, updateComment } from './comment.mjs';
import { resultOf } from './compare.mjs';
import { checkArguments, hasNoFindings, formatOf, pathsOf, UsageError } from './inputs.mjs';

const { env } = process;
/** A step summary can hold 1 MiB. */
const SUMMARY_BYTES = 1_000_000;

/** A line that the runner takes for a command. */
function command(name, text) {
  process.stdout.write(`::${name}::${escaped(text)}\n`);
}

function escaped(text) {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** Prints text in which the runner sees no commands, whatever a registry contains. */
function log(text) {
  const token = randomUUID();
  process.stdout.write(`::stop-commands::${token}\n${text.trimEnd()}\n::${token}::\n`);
}

function output(name, value) {
  appendFileSync(env.GITHUB_OUTPUT, `${name}=${value}\n`);
}

function summarize(markdown) {
  if (env.GITHUB_STEP_SUMMARY) appendFileSync(env.GITHUB_STEP_SUMMARY, cut(`${markdown}\n`, SUMMARY_BYTES));
}

/** The text with at most this many bytes, cut at the end of a line. */
function cut(text, bytes) {
  if (Buffer.byteLength(text) <= bytes) return text;
  const kept = Buffer.from(text).subarray(0, bytes).toString('utf8');
  return `${kept.slice(0, kept.lastIndexOf('\n'))}\n\nThe rest is left out here; the report file has it.\n`;
}

/** Runs appreg. The token is not passed on: the configuration of a pull request could put it into a URL. */
function appreg(words) {
  const { INPUT_TOKEN: _, ...others } = env;
  const run = spawnSync(process.execPath, [join(env.APPREG_HOME, 'bin/appreg.js'), ...words], {
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: others,
  });
  if (run.error) throw run.error;
  return run;
}

/**
 * @returns the folder relative to the workspace, with `/`; '' for the workspace itself
 * @throws UsageError for a folder that does not exist
 */
function enterWorkingDirectory() {
  const workspace = process.cwd();
  const given = env.INPUT_WORKING_DIRECTORY || '.';
  if (!statSync(given, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(
      `The input working-directory names “${given}”, which is not a folder in ${workspace}. Correct it, or add actions/checkout before this step.`,
    );
  process.chdir(given);
  return withSlashes(relative(workspace, process.cwd()));
}

function withSlashes(path) {
  return path.replaceAll('\\', '/');
}

async function main() {
  const folder = enterWorkingDirectory();
  const { format, extension } = formatOf(env);
  const run = appreg(checkArguments(env, () => baseOfPullRequest(env)));
  if (run.stderr.trim() !== '') log(run.stderr);
  const report = run.stdout.startsWith('{') ? JSON.parse(run.stdout) : null;
  if (report === null || (hasNoFindings(env) && report.error)) {
    output('outcome', run.status === 1 ? 'findings' : 'incomplete');
    command('error title=appreg', run.stderr.trim() || `appreg ended with ${run.status ?? run.signal} and no report.`);
    return run.status || 2;
  }

  const library = await import(pathToFileURL(join(env.APPREG_HOME, 'dist/node.js')));
  const file = join(mkdtempSync(join(env.RUNNER_TEMP, 'appreg-report-')), `appreg.${extension}`);
  if (hasNoFindings(env))
    await showComparison(report, library, { format, file, folder, isIncomplete: run.status === 2 });
  else showCheck(report, library, { format, file, folder });
  return run.status ?? 2;
}

/** @param folder where GitHub finds the files of the report, in the workspace */
function showCheck(report, { render, githubAnnotations }, { format, file, folder }) {
  log(render(report, 'pretty'));
  for (const line of githubAnnotations(report, { folder })) process.stdout.write(`${line}\n`);
  summarize(render(report, 'markdown', { folder }));
  // The JUnit report has a case for it.
  const maxWarnings = env.INPUT_MAX_WARNINGS ? Number(env.INPUT_MAX_WARNINGS) : null;
  writeFileSync(file, render(report, format, { folder, maxWarnings }));
  const known = report.outcome !== 'incomplete';
  output('outcome', report.outcome);
  output('errors', known ? report.summary.errors : '');
  output('warnings', known ? report.summary.warnings : '');
  output('report', file);
  output('counts', JSON.stringify(report.summary));
}

async function showComparison(report, library, { format, file, folder, isIncomplete }) {
  const { text, markdown, annotations, outputs, isNotable } = resultOf(env.INPUT_COMMAND, report, library);
  log(text);
  for (const one of annotations)
    command(`error title=${escaped(one.title).replaceAll(':', '%3A').replaceAll(',', '%2C')}`, one.text);
  summarize(markdown);
  writeFileSync(file, format === 'json' ? JSON.stringify(report, null, 2) : `${markdown}\n`);
  for (const [name, value] of Object.entries(outputs))
    output(name, name === 'outcome' && isIncomplete ? 'incomplete' : value);
  output('report', file);
  const url = await comment(folder, isNotable ? markdown : null);
  if (url !== null) output('comment', url);
}

/**
 * Updates the section of this check in the comment of the pull request; one that cannot be written is a warning. Null:
 * there is none.
 */
async function comment(folder, markdown) {
  const { pull_request: pull } = eventOf(env);
  const { INPUT_COMMENT: wanted, INPUT_TOKEN: token, GITHUB_REPOSITORY: repository } = env;
  if (!pull || wanted === 'false' || !token || !repository) return null;
  const api = env.GITHUB_API_URL || 'https://api.github.com';
  const host = githubHost({ api, repository, number: Number(pull.number), token });
  try {
    return await updateComment(host, `${env.INPUT_COMMAND}:${withSlashes(join(folder, pathsOf(env)[0]))}`, markdown);
  } catch (error) {
    if (!(error instanceof CommentError)) throw error;
    const advice = error.isForbidden
      ? 'The job needs "permissions: pull-requests: write", which pull requests from forks do not get; set the input comment to false to leave it out.'
      : 'The summary of this job has the result; the next run writes the comment.';
    command(
      'warning title=appreg',
      `The comment on the pull request was not written: ${error.message.replace(/\.$/, '')}. ${advice}`,
    );
    return null;
  }
}

try {
  const code = await main();
  // Only findings are advice: a check that could not run fails in any mode.
  process.exitCode = code === 1 && env.INPUT_ADVISORY === 'true' ? 0 : code;
} catch (error) {
  output('outcome', 'incomplete');
  command('error title=appreg', error instanceof UsageError ? error.message : String(error?.stack ?? error));
  process.exitCode = 2;
}
