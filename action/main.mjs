// What action.yml runs: one check, shown as a log, annotations, a step summary, a report file and outputs.
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { baseOfPullRequest } from './base.mjs';
import { checkArguments, UsageError } from './inputs.mjs';

const { env } = process;
const EXTENSIONS = { sarif: 'sarif', json: 'json', junit: 'xml', gitlab: 'json', markdown: 'md' };
/** What a step summary can hold is 1 MiB. */
const SUMMARY_BYTES = 1_000_000;

/** A line that the runner takes for a command. */
function command(name, text) {
  const data = text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  process.stdout.write(`::${name}::${data}\n`);
}

/** Prints text in which the runner sees no commands, whatever stands in a registry. */
function log(text) {
  const token = randomUUID();
  process.stdout.write(`::stop-commands::${token}\n${text.trimEnd()}\n::${token}::\n`);
}

function output(name, value) {
  appendFileSync(env.GITHUB_OUTPUT, `${name}=${value}\n`);
}

/** A text of at most so many bytes, cut at a line. */
function cut(text, bytes) {
  if (Buffer.byteLength(text) <= bytes) return text;
  const kept = Buffer.from(text).subarray(0, bytes).toString('utf8');
  return `${kept.slice(0, kept.lastIndexOf('\n'))}\n\nThe rest is left out here; the report file has it.\n`;
}

async function main() {
  const folder = mkdtempSync(join(env.RUNNER_TEMP, 'appreg-report-'));
  const json = join(folder, 'report.json');
  const extension = Object.hasOwn(EXTENSIONS, env.INPUT_FORMAT) ? EXTENSIONS[env.INPUT_FORMAT] : null;
  if (extension === null)
    throw new UsageError(`The input format must be one of ${Object.keys(EXTENSIONS).join(', ')}.`);
  const words = checkArguments(env, json, () => baseOfPullRequest(env));

  const started = [join(env.APPREG_HOME, 'bin/appreg.js'), ...words];
  const run = spawnSync(process.execPath, started, {
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (run.error) throw run.error;
  // Words that appreg does not understand leave the report on stdout.
  if (!existsSync(json) && run.stdout.startsWith('{')) writeFileSync(json, run.stdout);
  if (run.stderr.trim() !== '') log(run.stderr);
  if (!existsSync(json)) {
    output('outcome', 'incomplete');
    command('error title=appreg', run.stderr.trim() || `appreg ended with ${run.status ?? run.signal} and no report.`);
    return run.status || 2;
  }

  const report = JSON.parse(readFileSync(json, 'utf8'));
  const { render } = await import(pathToFileURL(join(env.APPREG_HOME, 'dist/node.js')));
  log(render(report, 'pretty'));
  process.stdout.write(`${render(report, 'github').trimEnd()}\n`);
  if (env.GITHUB_STEP_SUMMARY)
    appendFileSync(env.GITHUB_STEP_SUMMARY, cut(`${render(report, 'markdown')}\n`, SUMMARY_BYTES));
  const file = join(folder, `appreg.${extension}`);
  writeFileSync(file, render(report, env.INPUT_FORMAT));
  const known = report.outcome !== 'incomplete';
  output('outcome', report.outcome);
  output('errors', known ? report.summary.errors : '');
  output('warnings', known ? report.summary.warnings : '');
  output('report', file);
  return run.status ?? 2;
}

try {
  process.exitCode = await main();
} catch (error) {
  output('outcome', 'incomplete');
  command('error title=appreg', error instanceof UsageError ? error.message : String(error?.stack ?? error));
  process.exitCode = 2;
}
