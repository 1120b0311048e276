import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { parse } from 'yaml';
import type * as Language from './actions-language.ts';
import { CODE_CACHE } from './code-cache.ts';

/** GitHub Actions on this machine: its parsers, and a runner of composite actions. */

type Loaded = typeof Language;

// The parsers import JSON as only bundlers can.
const { outputFiles } = await build({
  entryPoints: [fileURLToPath(new URL('actions-language.ts', import.meta.url))],
  bundle: true,
  format: 'esm',
  platform: 'browser',
  write: false,
  logLevel: 'silent',
});
const base64 = Buffer.from(outputFiles[0]!.contents).toString('base64');
const { data, Evaluator, Lexer, NoOperationTraceWriter, parseAction, parseWorkflow, Parser }: Loaded = await import(
  `data:text/javascript;base64,${base64}`
);

/** Problems that GitHub finds in an action.yml, or a workflow. */
export function problemsIn(kind: 'action' | 'workflow', content: string): string[] {
  const file = { name: `${kind}.yml`, content };
  const read = kind === 'action' ? parseAction : parseWorkflow;
  return read(file, new NoOperationTraceWriter())
    .context.errors.getErrors()
    .map(({ message }) => message);
}

/** A text with its `${{ … }}` filled in, as GitHub does it. */
function filledIn(text: string, contexts: Record<string, unknown>): string {
  return text.replaceAll(/\$\{\{(.*?)\}\}/gs, (_, expression: string) => {
    const parsed = new Parser(new Lexer(expression).lex().tokens, Object.keys(contexts), []).parse();
    const context = JSON.parse(JSON.stringify(contexts), data.reviver);
    return new Evaluator(parsed, context).evaluate().coerceString();
  });
}

interface Step {
  id?: string;
  shell?: string;
  run: string;
  env?: Record<string, string>;
}

interface Action {
  inputs: Record<string, { default?: string }>;
  outputs: Record<string, { value: string }>;
  runs: { steps: Step[] };
}

export interface Runner {
  /** The folder of the action. */
  action: string;
  /** GITHUB_WORKSPACE: where the steps run. */
  workspace: string;
  /** A folder for what the runner keeps. */
  temporary: string;
  event: { name: string; payload: unknown };
  env?: NodeJS.ProcessEnv;
}

export interface Ran {
  /** That of the step that failed, or 0. */
  code: number;
  /** stdout and stderr of all the steps. */
  log: string;
  /** The workflow commands in the log that the runner obeys: `name properties::data`. */
  commands: string[];
  summary: string;
  outputs: Record<string, string>;
}

/** Runs a composite action of bash steps as the runner does; `with` of the step are the inputs. */
export function runAction(runner: Runner, inputs: Record<string, string> = {}): Ran {
  const action = parse(readFileSync(join(runner.action, 'action.yml'), 'utf8')) as Action;
  const given: Record<string, string> = {};
  for (const [name, { default: value = '' }] of Object.entries(action.inputs))
    given[name] = inputs[name] ?? filledIn(value, { github: { token: '' } });
  mkdirSync(runner.temporary, { recursive: true });
  const files = mkdtempSync(join(runner.temporary, 'files-'));
  const fileAt = (name: string, content = ''): string => {
    writeFileSync(join(files, name), content);
    return join(files, name);
  };
  const summary = fileAt('summary.md');
  const event = fileAt('event.json', JSON.stringify(runner.event.payload));
  const steps: Record<string, { outputs: Record<string, string> }> = {};
  let log = '';
  let code = 0;
  for (const [index, step] of action.runs.steps.entries()) {
    const contexts = { inputs: given, steps };
    const script = fileAt(`step-${index}.sh`, filledIn(step.run, contexts));
    const output = fileAt(`output-${index}`);
    const env: NodeJS.ProcessEnv = {
      PATH: process.env['PATH'],
      HOME: runner.temporary,
      GITHUB_ACTIONS: 'true',
      CI: 'true',
      GITHUB_ACTION_PATH: runner.action,
      GITHUB_WORKSPACE: runner.workspace,
      GITHUB_EVENT_NAME: runner.event.name,
      GITHUB_EVENT_PATH: event,
      GITHUB_OUTPUT: output,
      GITHUB_STEP_SUMMARY: summary,
      RUNNER_TEMP: runner.temporary,
      GIT_CONFIG_NOSYSTEM: '1',
      ...CODE_CACHE,
      ...runner.env,
    };
    for (const [name, value] of Object.entries(step.env ?? {})) env[name] = filledIn(value, contexts);
    const run = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', script], {
      cwd: runner.workspace,
      env,
      encoding: 'utf8',
    });
    log += run.stdout + run.stderr;
    code = run.status ?? 1;
    if (step.id !== undefined) steps[step.id] = { outputs: outputsIn(readFileSync(output, 'utf8')) };
    if (code !== 0) break;
  }
  const outputs: Record<string, string> = {};
  for (const [name, { value }] of Object.entries(action.outputs))
    outputs[name] = filledIn(value, { inputs: given, steps });
  return { code, log, commands: commandsIn(log), summary: readFileSync(summary, 'utf8'), outputs };
}

function outputsIn(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split('\n').flatMap((line) => {
      const at = line.indexOf('=');
      return at === -1 ? [] : [[line.slice(0, at), line.slice(at + 1)]];
    }),
  );
}

/** Both notations, the older of which the runner finds anywhere in a line; none while they are stopped. */
function commandsIn(log: string): string[] {
  const commands: string[] = [];
  let stopped: string | null = null;
  for (const line of log.split('\n')) {
    const command = /^\s*::(.+)$/.exec(line)?.[1] ?? /##\[(.+)/.exec(line)?.[1];
    if (command === undefined) continue;
    if (stopped !== null) {
      if (command === `${stopped}::`) stopped = null;
    } else if (command.startsWith('stop-commands::')) stopped = command.slice('stop-commands::'.length);
    else commands.push(command);
  }
  return commands;
}
